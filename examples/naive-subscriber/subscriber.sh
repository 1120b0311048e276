#!/bin/sh
# A naive subscriber: curl, jq and sha256sum. It downloads every artifact and compares its digest, and checks nothing
# else. expected-failures.json lists what that is not enough for. `appreg conformance subscriber` calls it as
#   subscriber.sh subscribe <url> <name> | refresh | apps
# with the folder for its state in CONFORMANCE_STATE, and the certificate to trust in CONFORMANCE_CA.
set -eu
state=$CONFORMANCE_STATE
tab=$(printf '\t')

# Writes what a URL serves into a file.
get() {
  curl --silent --fail --location --max-redirs 5 --max-time 10 --max-filesize 50000000 \
    --cacert "$CONFORMANCE_CA" --output "$2" -- "$1"
}

# Adds a version to the list, offered if its artifact has the listed digest.
add_version() {
  version_state=refused
  if get "$3" "$state/artifact" && echo "${4#sha256:}  $state/artifact" | sha256sum --check --status 2> /dev/null; then
    version_state=offered
  fi
  jq --null-input --compact-output --arg key "$1" --arg version "$2" --arg checksum "$4" --arg state "$version_state" \
    '{$key, version: {$version, $checksum, $state}}' >> "$state/new"
}

# Adds the versions of an app.
add_app() {
  get "$2" "$state/metadata.json" || return 0
  jq --raw-output '.versions[] | [.version, .artifactUrl, .artifactChecksum] | @tsv' "$state/metadata.json" \
    > "$state/versions" || return 0
  while IFS=$tab read -r version artifact checksum; do
    add_version "$1" "$version" "$artifact" "$checksum"
  done < "$state/versions"
}

refresh() {
  : > "$state/new"
  get "$(cat "$state/url")" "$state/manifest.json"
  jq --raw-output '.apps | to_entries[] | [.key, .value.appMetadataUrl] | @tsv' "$state/manifest.json" > "$state/keys"
  while IFS=$tab read -r key metadata; do
    add_app "$key" "$metadata"
  done < "$state/keys"
  mv "$state/new" "$state/offers"
}

case $1 in
subscribe)
  printf '%s\n' "$2" > "$state/url"
  refresh
  ;;
refresh) refresh ;;
apps)
  touch "$state/offers"
  jq --slurp '{apps: [group_by(.key)[] | {key: .[0].key, versions: map(.version), latest: (map(.version | select(.state == "offered").version) | last)}]}' \
    "$state/offers"
  ;;
esac
