//! Which addresses a hook may connect to.

use std::net::IpAddr;
use std::str::FromStr;

/// What settings add to the rules about addresses.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Network {
    /// Addresses that may be connected to although they are usually out of bounds.
    pub allow: Vec<Block>,
    /// Addresses that may not be connected to. This is stronger.
    pub refuse: Vec<Block>,
}

/// A range of addresses, such as `10.0.0.0/8`; without a length it is one address.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Block {
    first: IpAddr,
    length: u32,
}

impl Network {
    /// Whether an address may be connected to.
    ///
    /// Link-local addresses, where clouds keep their metadata, and those that are no host at all are
    /// out of bounds unless somebody allows them.
    pub fn may_connect(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let inside = |blocks: &[Block]| blocks.iter().any(|block| block.contains(address));
        !inside(&self.refuse) && (is_a_host(address) || inside(&self.allow))
    }
}

fn is_a_host(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            !(v4.is_link_local() || v4.is_unspecified() || v4.is_multicast() || v4.is_broadcast())
        }
        // The last is how one cloud serves its metadata over IPv6.
        IpAddr::V6(v6) => {
            let metadata = v6.segments() == [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254];
            !(v6.is_unicast_link_local() || v6.is_unspecified() || v6.is_multicast() || metadata)
        }
    }
}

impl Block {
    /// Whether an address lies in it.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address.to_canonical()) {
            (IpAddr::V4(first), IpAddr::V4(other)) => {
                let shift = 32 - self.length.min(32);
                first.to_bits().checked_shr(shift) == other.to_bits().checked_shr(shift)
            }
            (IpAddr::V6(first), IpAddr::V6(other)) => {
                let shift = 128 - self.length.min(128);
                first.to_bits().checked_shr(shift) == other.to_bits().checked_shr(shift)
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

impl FromStr for Block {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let first: IpAddr = address.parse().map_err(|_| format!("`{text}` is not an address"))?;
        let first = first.to_canonical();
        let most = if first.is_ipv4() { 32 } else { 128 };
        let length = length.map_or(Ok(most), |it| it.parse().map_err(|_| ()));
        match length {
            Ok(length) if length <= most => Ok(Self { first, length }),
            Ok(_) | Err(()) => Err(format!("`{text}` is not a range of addresses")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, Network};

    fn blocks(texts: &[&str]) -> Vec<Block> {
        texts.iter().map(|it| it.parse().unwrap()).collect()
    }

    #[test]
    fn metadata_and_link_local_addresses_are_refused_and_loopback_is_not() {
        let plain = Network::default();
        for address in [
            "169.254.169.254",
            "fe80::1",
            "::ffff:169.254.169.254",
            "0.0.0.0",
            "::",
            "224.0.0.1",
            "fd00:ec2::254",
        ] {
            assert!(!plain.may_connect(address.parse().unwrap()), "{address}");
        }
        for address in ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "93.184.216.34"] {
            assert!(plain.may_connect(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn settings_may_open_and_close_ranges_and_closing_is_stronger() {
        let network = Network {
            allow: blocks(&["169.254.0.0/16", "127.0.0.2"]),
            refuse: blocks(&["127.0.0.2/31", "2001:db8::/32", "::/128"]),
        };
        let may = |address: &str| network.may_connect(address.parse().unwrap());
        assert!(may("169.254.169.254") && may("127.0.0.1") && may("2001:db9::1"));
        assert!(!may("127.0.0.2") && !may("127.0.0.3") && !may("2001:db8::1"));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["", "localhost", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0/8"] {
            assert!(text.parse::<Block>().is_err(), "{text}");
        }
        assert!("0.0.0.0/0".parse::<Block>().unwrap().contains("8.8.8.8".parse().unwrap()));
    }
}
