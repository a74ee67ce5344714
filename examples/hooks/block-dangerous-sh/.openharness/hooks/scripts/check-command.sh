# Reads the envelope and refuses what would destroy the machine.
envelope=$(cat | tr '[:upper:]' '[:lower:]')
case $envelope in
  *'rm -rf /'* | *'drop table'* | *'format c:'*)
    printf '%s' '{"continue":false,"decision":"block","reason":"Command blocked: contains dangerous pattern"}' ;;
  *)
    printf '%s' '{"continue":true}' ;;
esac
