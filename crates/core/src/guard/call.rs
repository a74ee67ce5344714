//! Programs that are dangerous by what they are for.

use super::{ASK, DENY, Found};
use crate::decision::Decision;
use crate::shell::{Command, Word};

/// A program, the words that follow it, the options of which one must be there, what to do, and why.
struct Row(&'static str, &'static [&'static str], &'static [&'static str], Decision, &'static str);

const OFF: &str = "it stops the machine";
const DISK: &str = "it destroys what is on a disk";
const ROOT: &str = "it runs with another user's rights";
const USER: &str = "it changes who may use the machine";
const NET: &str = "it changes how the machine is connected";
const CLOUD: &str = "it removes what others use";
const DATA: &str = "it drops what is in a database";
const TRACE: &str = "it removes traces";
const BOX: &str = "it gives a container the whole machine";
const PUBLISH: &str = "it publishes something";
const KERNEL: &str = "it changes the running system";
const KILL: &str = "it ends programs by their name";

use Decision::{Ask, Deny};

const TABLE: &[Row] = &[
    Row("shutdown", &[], &[], Deny, OFF),
    Row("reboot", &[], &[], Deny, OFF),
    Row("halt", &[], &[], Deny, OFF),
    Row("poweroff", &[], &[], Deny, OFF),
    Row("init", &["0"], &[], Deny, OFF),
    Row("init", &["6"], &[], Deny, OFF),
    Row("telinit", &[], &[], Deny, OFF),
    Row("systemctl", &["poweroff"], &[], Deny, OFF),
    Row("systemctl", &["reboot"], &[], Deny, OFF),
    Row("systemctl", &["halt"], &[], Deny, OFF),
    Row("systemctl", &["kexec"], &[], Deny, OFF),
    Row("systemctl", &["suspend"], &[], Ask, OFF),
    Row("systemctl", &["hibernate"], &[], Ask, OFF),
    Row("systemctl", &["rescue"], &[], Deny, OFF),
    Row("systemctl", &["emergency"], &[], Deny, OFF),
    Row("systemctl", &["stop"], &[], Ask, KERNEL),
    Row("systemctl", &["disable"], &[], Ask, KERNEL),
    Row("systemctl", &["mask"], &[], Ask, KERNEL),
    Row("systemctl", &["isolate"], &[], Ask, KERNEL),
    Row("service", &[], &[], Ask, KERNEL),
    Row("killall5", &[], &[], Deny, "it ends every program"),
    Row("pkill", &[], &[], Ask, KILL),
    Row("killall", &[], &[], Ask, KILL),
    Row("taskkill", &[], &[], Ask, KILL),
    Row("xkill", &[], &[], Ask, KILL),
    Row("sudo", &[], &[], Ask, ROOT),
    Row("doas", &[], &[], Ask, ROOT),
    Row("pkexec", &[], &[], Ask, ROOT),
    Row("su", &[], &[], Ask, ROOT),
    Row("run0", &[], &[], Ask, ROOT),
    Row("nsenter", &[], &[], Ask, ROOT),
    Row("chroot", &[], &[], Ask, ROOT),
    Row("userdel", &[], &[], Deny, USER),
    Row("deluser", &[], &[], Deny, USER),
    Row("groupdel", &[], &[], Deny, USER),
    Row("useradd", &[], &[], Ask, USER),
    Row("adduser", &[], &[], Ask, USER),
    Row("usermod", &[], &[], Ask, USER),
    Row("passwd", &[], &[], Ask, USER),
    Row("chpasswd", &[], &[], Ask, USER),
    Row("visudo", &[], &[], Ask, USER),
    Row("setcap", &[], &[], Ask, USER),
    Row(
        "hdparm",
        &[],
        &["--security-erase", "--security-erase-enhanced", "--trim-sector-ranges"],
        Deny,
        DISK,
    ),
    Row("nvme", &["format"], &[], Deny, DISK),
    Row("nvme", &["sanitize"], &[], Deny, DISK),
    Row("cryptsetup", &["luksFormat"], &[], Deny, DISK),
    Row("cryptsetup", &["erase"], &[], Deny, DISK),
    Row("cryptsetup", &["luksErase"], &[], Deny, DISK),
    Row("lvremove", &[], &[], Deny, DISK),
    Row("vgremove", &[], &[], Deny, DISK),
    Row("pvremove", &[], &[], Deny, DISK),
    Row("zpool", &["destroy"], &[], Deny, DISK),
    Row("zfs", &["destroy"], &[], Deny, DISK),
    Row("btrfs", &["subvolume", "delete"], &[], Deny, DISK),
    Row("mdadm", &[], &["--zero-superblock", "--stop"], Deny, DISK),
    Row("badblocks", &[], &["-w"], Deny, DISK),
    Row("diskutil", &["eraseDisk"], &[], Deny, DISK),
    Row("diskutil", &["eraseVolume"], &[], Deny, DISK),
    Row("diskutil", &["partitionDisk"], &[], Deny, DISK),
    Row("diskutil", &["secureErase"], &[], Deny, DISK),
    Row("diskpart", &[], &[], Deny, DISK),
    Row("vssadmin", &["delete"], &[], Deny, DISK),
    Row("tmutil", &["delete"], &[], Deny, DISK),
    Row("umount", &[], &["-a", "-f", "-l"], Ask, DISK),
    Row("swapoff", &[], &["-a"], Ask, KERNEL),
    Row("csrutil", &["disable"], &[], Deny, KERNEL),
    Row("setenforce", &["0"], &[], Ask, KERNEL),
    Row("insmod", &[], &[], Ask, KERNEL),
    Row("rmmod", &[], &[], Ask, KERNEL),
    Row("modprobe", &[], &[], Ask, KERNEL),
    Row("kexec", &[], &[], Deny, OFF),
    Row("grub-install", &[], &[], Deny, KERNEL),
    Row("update-grub", &[], &[], Ask, KERNEL),
    Row("efibootmgr", &[], &[], Ask, KERNEL),
    Row("iptables", &[], &["-F", "-X", "-P", "--flush"], Ask, NET),
    Row("ip6tables", &[], &["-F", "-X", "-P", "--flush"], Ask, NET),
    Row("nft", &["flush"], &[], Ask, NET),
    Row("ufw", &["disable"], &[], Ask, NET),
    Row("ufw", &["reset"], &[], Ask, NET),
    Row("ip", &["link", "delete"], &[], Ask, NET),
    Row("ip", &["route", "flush"], &[], Ask, NET),
    Row("ifdown", &[], &[], Ask, NET),
    Row("crontab", &["-"], &[], Deny, "it changes what runs later"),
    Row("crontab", &[], &["-r"], Deny, "it removes what runs later"),
    Row("crontab", &[], &["-e"], Ask, "it changes what runs later"),
    Row("history", &[], &["-c", "-w"], Ask, TRACE),
    Row("journalctl", &[], &["--vacuum-time", "--vacuum-size", "--rotate", "--flush"], Ask, TRACE),
    Row("auditctl", &[], &["-D", "-e"], Ask, TRACE),
    Row("wevtutil", &["cl"], &[], Deny, TRACE),
    Row("dropdb", &[], &[], Deny, DATA),
    Row("dropuser", &[], &[], Deny, DATA),
    Row("mysqladmin", &["drop"], &[], Deny, DATA),
    Row("rails", &["db:drop"], &[], Ask, DATA),
    Row("rails", &["db:reset"], &[], Ask, DATA),
    Row("rails", &["db:purge"], &[], Ask, DATA),
    Row("rake", &["db:drop"], &[], Ask, DATA),
    Row("rake", &["db:reset"], &[], Ask, DATA),
    Row("prisma", &["migrate", "reset"], &[], Ask, DATA),
    Row("prisma", &["db", "push"], &["--force-reset", "--accept-data-loss"], Ask, DATA),
    Row("sequelize", &["db:drop"], &[], Ask, DATA),
    Row("python", &["manage.py", "flush"], &[], Ask, DATA),
    Row("python3", &["manage.py", "flush"], &[], Ask, DATA),
    Row("python", &["manage.py", "reset_db"], &[], Ask, DATA),
    Row("php", &["artisan", "migrate:fresh"], &[], Ask, DATA),
    Row("php", &["artisan", "db:wipe"], &[], Ask, DATA),
    Row("alembic", &["downgrade", "base"], &[], Ask, DATA),
    Row("kubectl", &["delete"], &[], Ask, CLOUD),
    Row("kubectl", &["drain"], &[], Ask, CLOUD),
    Row("oc", &["delete"], &[], Ask, CLOUD),
    Row("helm", &["uninstall"], &[], Ask, CLOUD),
    Row("helm", &["delete"], &[], Ask, CLOUD),
    Row("terraform", &["destroy"], &[], Ask, CLOUD),
    Row("terraform", &["apply"], &["-auto-approve", "--auto-approve", "-destroy"], Ask, CLOUD),
    Row("terraform", &["state", "rm"], &[], Ask, CLOUD),
    Row("tofu", &["destroy"], &[], Ask, CLOUD),
    Row("tofu", &["apply"], &["-auto-approve", "-destroy"], Ask, CLOUD),
    Row("terragrunt", &["destroy"], &[], Ask, CLOUD),
    Row("pulumi", &["destroy"], &[], Ask, CLOUD),
    Row("cdk", &["destroy"], &[], Ask, CLOUD),
    Row("serverless", &["remove"], &[], Ask, CLOUD),
    Row("ansible", &[], &["-m", "-a"], Ask, CLOUD),
    Row("vagrant", &["destroy"], &[], Ask, CLOUD),
    Row("aws", &["s3", "rm"], &[], Ask, CLOUD),
    Row("aws", &["s3", "rb"], &[], Ask, CLOUD),
    Row("aws", &["s3", "sync"], &["--delete"], Ask, CLOUD),
    Row("gsutil", &["rm"], &[], Ask, CLOUD),
    Row("gsutil", &["rb"], &[], Ask, CLOUD),
    Row("s3cmd", &["del"], &[], Ask, CLOUD),
    Row("mc", &["rm"], &[], Ask, CLOUD),
    Row("rclone", &["purge"], &[], Ask, CLOUD),
    Row("rclone", &["delete"], &[], Ask, CLOUD),
    Row("heroku", &["apps:destroy"], &[], Deny, CLOUD),
    Row("heroku", &["pg:reset"], &[], Deny, DATA),
    Row("heroku", &["addons:destroy"], &[], Ask, CLOUD),
    Row("fly", &["apps", "destroy"], &[], Ask, CLOUD),
    Row("flyctl", &["apps", "destroy"], &[], Ask, CLOUD),
    Row("vercel", &["remove"], &[], Ask, CLOUD),
    Row("vercel", &["rm"], &[], Ask, CLOUD),
    Row("gh", &["repo", "delete"], &[], Deny, CLOUD),
    Row("gh", &["release", "delete"], &[], Ask, CLOUD),
    Row("gh", &["secret", "delete"], &[], Ask, CLOUD),
    Row("glab", &["repo", "delete"], &[], Deny, CLOUD),
    Row("docker", &["system", "prune"], &[], Ask, CLOUD),
    Row("docker", &["volume", "rm"], &[], Ask, CLOUD),
    Row("docker", &["volume", "prune"], &[], Ask, CLOUD),
    Row("docker", &["image", "prune"], &["-a", "--all"], Ask, CLOUD),
    Row("docker", &["compose", "down"], &["-v", "--volumes"], Ask, CLOUD),
    Row("docker-compose", &["down"], &["-v", "--volumes"], Ask, CLOUD),
    Row("docker", &["rm"], &["-f", "--force"], Ask, CLOUD),
    Row("docker", &["rmi"], &["-f", "--force"], Ask, CLOUD),
    Row("docker", &["swarm", "leave"], &[], Ask, CLOUD),
    Row(
        "docker",
        &["run"],
        &["--privileged", "--pid=host", "--cap-add=ALL", "--cap-add=SYS_ADMIN", "--userns=host"],
        Deny,
        BOX,
    ),
    Row("podman", &["run"], &["--privileged"], Deny, BOX),
    Row("podman", &["system", "prune"], &[], Ask, CLOUD),
    Row("podman", &["system", "reset"], &[], Ask, CLOUD),
    Row("npm", &["publish"], &[], Ask, PUBLISH),
    Row("npm", &["unpublish"], &[], Deny, CLOUD),
    Row("npm", &["deprecate"], &[], Ask, PUBLISH),
    Row("pnpm", &["publish"], &[], Ask, PUBLISH),
    Row("yarn", &["publish"], &[], Ask, PUBLISH),
    Row("yarn", &["npm", "publish"], &[], Ask, PUBLISH),
    Row("cargo", &["publish"], &[], Ask, PUBLISH),
    Row("cargo", &["yank"], &[], Ask, PUBLISH),
    Row("twine", &["upload"], &[], Ask, PUBLISH),
    Row("gem", &["push"], &[], Ask, PUBLISH),
    Row("gem", &["yank"], &[], Ask, PUBLISH),
    Row("apt", &["purge"], &[], Ask, KERNEL),
    Row("apt", &["remove"], &[], Ask, KERNEL),
    Row("apt", &["autoremove"], &[], Ask, KERNEL),
    Row("apt-get", &["purge"], &[], Ask, KERNEL),
    Row("apt-get", &["remove"], &[], Ask, KERNEL),
    Row("apt-get", &["autoremove"], &[], Ask, KERNEL),
    Row("dpkg", &[], &["-r", "-P", "--purge", "--remove"], Ask, KERNEL),
    Row("yum", &["remove"], &[], Ask, KERNEL),
    Row("dnf", &["remove"], &[], Ask, KERNEL),
    Row("pacman", &[], &["-R"], Ask, KERNEL),
    Row("rpm", &[], &["-e", "--erase"], Ask, KERNEL),
    Row(
        "gpg",
        &[],
        &["--delete-secret-keys", "--delete-secret-and-public-key", "--delete-secret-key"],
        Deny,
        "it removes keys",
    ),
    Row("gpg", &[], &["--export-secret-keys"], Ask, "it shows a secret"),
    Row("security", &["delete-keychain"], &[], Deny, "it removes keys"),
    Row("security", &["dump-keychain"], &[], Ask, "it shows a secret"),
    Row("security", &["find-generic-password"], &[], Ask, "it shows a secret"),
    Row("keytool", &[], &["-delete"], Ask, "it removes keys"),
    Row("reg", &["delete"], &[], Ask, KERNEL),
    Row("bcdedit", &[], &[], Deny, KERNEL),
    Row("mkfifo", &["/dev"], &[], Ask, KERNEL),
];

/// Whether a program is dangerous by its name and subcommand.
pub(super) fn check(command: &Command) -> Found {
    let name = command.name()?;
    let arguments = command.arguments();
    let rows = TABLE.iter().filter(|row| row.0 == name && is_called(row, arguments));
    let worst = rows.map(|row| (row.3, row.4)).max_by_key(|it| it.0);
    worst.or_else(|| special(name, arguments))
}

fn is_called(row: &Row, arguments: &[Word]) -> bool {
    let mut plain =
        arguments.iter().filter(|it| !it.lead().starts_with('-') || it.known() == Some("-"));
    let subs =
        row.1.iter().all(|sub| plain.next().and_then(Word::known).is_some_and(|it| it == *sub));
    // Global options with values may stand between the program and its subcommand.
    let known: Vec<&str> = arguments.iter().filter_map(Word::known).take(6).collect();
    let later = row.1.len() > 1 && known.windows(row.1.len()).any(|window| window == row.1)
        || row.1.len() == 1
            && matches!(row.0, "kubectl" | "helm" | "terraform" | "oc" | "crontab")
            && known.contains(row.1.first().unwrap_or(&""));
    (subs || later) && (row.2.is_empty() || row.2.iter().any(|option| is_given(option, arguments)))
}

/// `-f` may stand in a cluster; a long option may carry a value.
fn is_given(option: &str, arguments: &[Word]) -> bool {
    let letter =
        option.strip_prefix('-').filter(|it| it.len() == 1).and_then(|it| it.chars().next());
    arguments.iter().map(Word::lead).any(|lead| match letter {
        Some(letter) => lead.starts_with('-') && !lead.starts_with("--") && lead.contains(letter),
        None => {
            lead == option || lead.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
        }
    })
}

fn special(name: &str, arguments: &[Word]) -> Found {
    let words: Vec<String> = arguments.iter().map(Word::shown).collect();
    let has = |word: &str| words.iter().any(|it| it == word);
    match name {
        "kill" => {
            let last = words.last().map(String::as_str);
            let all = last == Some("-1") && words.len() > 1 || last == Some("0") && words.len() > 1;
            if all {
                DENY("it ends every program")
            } else if last == Some("1") {
                ASK("it ends the first program")
            } else {
                None
            }
        }
        "aws" | "gcloud" | "az" | "doctl" | "linode-cli" | "ibmcloud" | "oci" => removes(&words),
        "gh" if has("api") && (has("DELETE") || words.iter().any(|it| it.ends_with("=DELETE"))) => {
            ASK(CLOUD)
        }
        "curl" if has("DELETE") && (has("-X") || has("--request")) || has("-XDELETE") => ASK(CLOUD),
        "docker" | "podman" | "nerdctl" => contains_machine(&words),
        "crontab" if !has("-l") && !words.is_empty() => DENY("it changes what runs later"),
        "format" | "format.com" if words.iter().any(|it| it.len() <= 3 && it.contains(':')) => {
            DENY(DISK)
        }
        "del" | "erase" | "rd" | "rmdir"
            if words.iter().any(|it| it.eq_ignore_ascii_case("/s")) =>
        {
            DENY("it removes whole folders")
        }
        "Remove-Item" if words.iter().any(|it| it.to_ascii_lowercase().starts_with("-rec")) => {
            ASK("it removes whole folders")
        }
        "sysctl" if has("-w") || words.iter().any(|it| it.contains('=')) => ASK(KERNEL),
        "unset" if has("HISTFILE") => ASK(TRACE),
        _ => None,
    }
}

/// A client of a cloud that is told to delete something.
fn removes(words: &[String]) -> Found {
    let removes = |it: &&String| {
        let verbs = ["destroy", "purge", "remove"];
        it.starts_with("delete") || it.starts_with("terminate") || verbs.contains(&it.as_str())
    };
    let mut words = words.iter().filter(|it| !it.starts_with('-')).take(5);
    if words.any(|it| removes(&it)) { ASK(CLOUD) } else { None }
}

/// A container that is given the machine's files or programs.
fn contains_machine(words: &[String]) -> Found {
    let mounts = words.iter().any(|it| {
        let root = it.starts_with("/:") || it.starts_with("-v/:") || it.contains("=/:");
        root || it.contains("docker.sock") || it.contains("source=/,")
    });
    let given = [["--pid", "host"], ["--cap-add", "ALL"], ["--cap-add", "SYS_ADMIN"]];
    let host = words.windows(2).any(|pair| given.iter().any(|it| pair == it));
    if mounts || host { DENY(BOX) } else { None }
}
