#!/bin/sh
# A validator of registry manifests and app metadata files with jq, for `appreg conformance documents --batch`: it reads
# the paths of documents from its standard input, and prints a line of JSON for each.
while IFS= read -r path; do
  # An empty file has no line that jq could read.
  test -s "$path" || printf '{"file":"%s","accepted":false}\n' "$path"
  set -- "$@" "$path"
done

jq -nRc '
  def text($form): type == "string" and test($form);
  def https: text("^https://[^/ ]+");
  def app:
    type == "object" and (.name | type) == "string" and (.description | type) == "string" and
    (.appMetadataUrl | https) and (.blockStyle | type) == "object" and
    (.blockStyle.iconUrl | https) and (.blockStyle.color | text("^#[0-9A-Fa-f]{6}$"));
  def version:
    type == "object" and (.version | text("^(0|[1-9][0-9]*)(\\.(0|[1-9][0-9]*)){2}([-+].*)?$")) and
    (.artifactUrl | https) and (.artifactChecksum | text("^sha256:[0-9a-f]{64}$"));
  def manifest:
    type == "object" and (.apps | type) == "object" and
    all(.apps | keys[]; text("^[A-Za-z0-9_-]+$")) and all(.apps[]; app);
  def metadata: type == "object" and (.versions | type) == "array" and all(.versions[]; version);
  reduce inputs as $line ({}; .[input_filename] += $line + "\n")
  | to_entries[]
  | (.key | endswith("metadata.json")) as $is_metadata
  | { file: .key, accepted: (.value | try (fromjson | if $is_metadata then metadata else manifest end) catch false) }
' "$@"
