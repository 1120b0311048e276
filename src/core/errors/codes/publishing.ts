import type { ErrorTable } from './entry.ts';

/** Errors of building artifacts, adding apps and publishing versions. */
export const PUBLISHING_ERRORS = {
  'rule-violation': {
    title: 'The change would violate rules. The message and `error.rules` of the JSON output name them.',
    fix: 'Follow the advice of each rule; appreg explain <rule> describes one.',
  },
  immutable: {
    title: 'The version or file was already published with different content. Published content never changes.',
    fix: 'Publish it as a new version.',
  },
  'already-exists': {
    title: 'An app or file of this name already exists, with different content.',
    fix: 'Choose another name, or remove the existing app or file.',
  },
  'app-changed': {
    title: 'Another process changed the entry of an app while it was edited or removed.',
    fix: 'Check the entry, and run the command again if the change is still needed.',
  },
  'app-key-invalid': {
    title: 'The app key contains characters that are not URL-safe, or cannot be the name of a folder.',
    fix: 'Choose a key of letters, digits, - and _.',
  },
  'version-invalid': {
    title: 'The version is not a semantic version.',
    fix: 'Write MAJOR.MINOR.PATCH, or one of major, minor, patch.',
  },
  'prerelease-not-allowed': {
    title: 'The version has a pre-release identifier or build metadata.',
    fix: 'Publish a version of the form MAJOR.MINOR.PATCH, or add --allow-prerelease.',
  },
  'version-unknown': {
    title: 'The app lists no such version, or no version in the range.',
    fix: 'Use one of the versions that the message names.',
  },
  'about-invalid': {
    title: 'The about file of the app has errors, so nothing was added to it.',
    fix: 'Correct each place that is named; schemas/about.schema.json describes the file.',
  },
  'notes-missing': {
    title: 'The notes are empty, or the changelog has no section of the version that is published.',
    fix: 'Add a heading with the version, such as ## 1.2.0, give the notes with --notes, or publish without notes.',
  },
  'version-lower': {
    title: 'The version is lower than the latest one of the app.',
    fix: 'Publish a higher version, or add --allow-lower if an older release is corrected.',
  },
  'version-same-bytes': {
    title: 'The content is already published as another version of the app.',
    fix: 'Build the app from the changed sources, or add --allow-same.',
  },
  'license-not-allowed': {
    title: 'The code contains packages with a license that bundle.licenses.allow of the configuration does not list.',
    fix: 'Replace the packages, or list their licenses.',
  },
  'license-setting-invalid': {
    title: 'A value of bundle.licenses in the configuration is not an SPDX license expression.',
    fix: 'Write it with the identifiers of https://spdx.org/licenses/, such as MIT.',
  },
  'sbom-unavailable': {
    title: 'A bill of materials was requested, and the packages in the artifact are not known.',
    fix: 'Build the artifact from its entry point, or omit --sbom.',
  },
  'sbom-invalid': {
    title: 'The bill of materials beside the archive is not a CycloneDX document about this archive.',
    fix: 'Build both again with appreg bundle --sbom.',
  },
  'sources-uncommitted': {
    title: 'Files that an app is built from are not committed in git.',
    fix: 'Commit them, or add --allow-dirty.',
  },
  'no-version-to-increment': {
    title: 'The app has no version yet that major, minor or patch could increment.',
    fix: 'Give the full version number, such as 1.0.0.',
  },
  'version-rollback': {
    title: 'The content was already published as an older version, so a new version would roll subscribers back.',
    fix: 'Give the full version number with --allow-same if that is intended.',
  },
  'artifact-invalid': {
    title: 'The artifact is not a .tar.gz archive.',
    fix: 'Create the artifact with appreg bundle.',
  },
  'artifact-changed': {
    title: 'The artifact file changed while it was published.',
    fix: 'Wait until the program that writes it is done, then run the command again.',
  },
  'icon-shared': {
    title: 'Other apps list the icon file that would be replaced.',
    fix: 'Give each of them an icon file of its own first.',
  },
  'icon-invalid': {
    title: 'The icon is not a PNG or SVG image, or its file name has the wrong extension.',
    fix: 'Use a PNG or SVG image.',
  },
  'download-failed': {
    title: 'A file could not be downloaded.',
    fix: 'Check the URL, and that it is reachable without a login.',
  },
  'read-back-mismatch': {
    title: 'The host serves different content at the URL of the new artifact.',
    fix: 'Publish under another version, or fix the host.',
  },
  'read-back-missing': {
    title: 'The new artifact is stored, but not served yet. The version was not listed.',
    fix: 'Check baseUrl and the access rights, then run the command again.',
  },
  'apps-folder-missing': {
    title: 'The workspace has no folder apps/.',
    fix: 'Create a folder for each app, with its app.json.',
  },
  'app-folder-invalid': {
    title: 'The folder of an app is a link, or contains a file that is too large or not a regular file.',
    fix: 'Use only small, regular files.',
  },
  'apps-invalid': {
    title: 'The folders of the apps have errors. Nothing was assembled.',
    fix: 'Follow the advice for each app.',
  },
  'entry-point-missing': {
    title: 'The entry point to build does not exist.',
    fix: 'Check the path.',
  },
  'entry-point-unsupported': {
    title: 'The entry point is not a source file that can be built.',
    fix: 'Specify a file with one of the extensions that the message lists.',
  },
  'build-failed': {
    title: 'The code does not build.',
    fix: 'Fix the code at the position that the message names.',
  },
  'build-target-unknown': {
    title: 'esbuild does not know the target.',
    fix: 'Give a target such as node22 or es2022.',
  },
  'esbuild-unusable': {
    title: 'The program of esbuild for this system is not installed, or cannot be started.',
    fix: 'Install appreg again on this system, with its optional packages.',
  },
  'bundle-empty': {
    title: 'The folder to pack contains no files.',
    fix: 'Put app.js into it, or specify an entry point.',
  },
  'bundle-too-large': {
    title: 'The files exceed the limits of an artifact.',
    fix: 'Remove files that the app does not need.',
  },
  'load-failed': {
    title: 'The built code can never be loaded where it is installed.',
    fix: 'Add the missing file or package to the bundle; --no-load-test skips the test.',
  },
  'bundle-name-invalid': {
    title: 'A file has a name that cannot be unpacked on every system.',
    fix: 'Rename the file.',
  },
  'bundle-name-collision': {
    title: 'Two files have names that are equal on some systems.',
    fix: 'Rename one of them, or leave it out.',
  },
  'bundle-link-invalid': {
    title: 'A symbolic link is broken, or points outside the folder.',
    fix: 'Replace the link with the file.',
  },
  'include-outside': {
    title:
      'The option include matches files outside of the folder of the entry point, or places a file outside of the archive.',
    fix: 'Copy the files into the folder first.',
  },
  'include-without-match': {
    title: 'The option include does not match any file.',
    fix: 'Correct the glob.',
  },
  'trusted-root-invalid': {
    title: 'The file is not a trusted root of Sigstore, or one of its entries is incomplete.',
    fix: 'Give the trusted_root.json of a Sigstore instance, or omit --trusted-root to use the one that appreg contains.',
  },
  'attestation-key-invalid': {
    title: 'The key for attestations is missing, or it is not an ECDSA key on the curve P-256 in PEM.',
    fix: 'Create one with openssl ecparam -name prime256v1 -genkey -noout, and its public key with openssl ec -pubout.',
  },
  'attestation-identity-missing': {
    title: 'An attestation without a key needs an OIDC token of the CI system, and there is none.',
    fix: 'Add the permission id-token: write (GitHub) or an id_tokens entry SIGSTORE_ID_TOKEN (GitLab), or sign with a key.',
  },
  'attestation-failed': {
    title: 'The certificate authority or the transparency log did not accept the attestation, or cannot be reached.',
    fix: 'Run the command again. If the failure persists, check the OIDC token and the network.',
  },
  'attestation-refused': {
    title:
      'The attestation does not prove the version that is published, or its signer is not that of the configuration.',
    fix: 'Attest <key>@<version>, name the signer (--key, or --issuer and --repository), or sign as evidence.attestations requires.',
  },
} as const satisfies ErrorTable;
