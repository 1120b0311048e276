#!/bin/sh
# A validator of registry manifests and app metadata files with jq, for `appreg conformance documents --batch`: it reads
# the paths of documents from its standard input, and prints a line of JSON for each.
while IFS= read -r path; do
  printf '%s\t%s\n' "$path" "$(base64 < "$path" | tr -d '\n')"
done | jq -Rc '
  def text($form): type == "string" and test($form);
  def https: text("\\Ahttps://[^/ ]+(/|\\z)");
  # The expression of https://semver.org.
  def number: "(0|[1-9][0-9]*)";
  def part: "(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)";
  def semver:
    text("\\A\(number)(\\.\(number)){2}(-\(part)(\\.\(part))*)?(\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?\\z");
  def app:
    type == "object" and (.name | type) == "string" and (.description | type) == "string" and
    (.appMetadataUrl | https) and (.blockStyle | type) == "object" and
    (.blockStyle.iconUrl | https) and (.blockStyle.color | text("\\A#[0-9A-Fa-f]{6}\\z"));
  def version:
    type == "object" and (.version | semver) and
    (.artifactUrl | https) and (.artifactChecksum | text("\\Asha256:[0-9a-f]{64}\\z"));
  def manifest:
    type == "object" and (.apps | type) == "object" and
    all(.apps | keys[]; text("\\A[A-Za-z0-9_-]+\\z")) and all(.apps[]; app);
  def metadata: type == "object" and (.versions | type) == "array" and all(.versions[]; version);
  split("\t") as [$file, $bytes]
  | { file: $file,
      accepted: ($bytes | @base64d
        | try (fromjson | if $file | endswith("metadata.json") then metadata else manifest end) catch false) }
'
