// Formulas for Homebrew, Scoop and winget, from SHA256SUMS: node scripts/formulas.mjs <SHA256SUMS> <folder>
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = 'https://github.com/appreg/appreg';
const DESCRIPTION = 'Author, lint, publish and verify app registries';

/** The archives by platform, with the version that all of them have. */
export function readSums(text) {
  const archives = new Map();
  let version = null;
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, sha256, name, own, platform] =
      /^([0-9a-f]{64}) [ *](appreg-(\d+\.\d+\.\d+(?:-[\w.]+)?)-((?:linux|macos|windows)-\w+)\..+)$/.exec(line) ?? [];
    if (sha256 === undefined) throw new Error(`Not a line of SHA256SUMS: ${line}`);
    if (version !== null && own !== version) throw new Error(`Two versions: ${version} and ${own}`);
    version = own;
    archives.set(platform, { sha256, url: `${REPOSITORY}/releases/download/v${own}/${name}` });
  }
  for (const platform of ['linux-x64', 'linux-arm64', 'macos-x64', 'macos-arm64', 'windows-x64'])
    if (!archives.has(platform)) throw new Error(`SHA256SUMS does not list the archive for ${platform}`);
  return { version, archives };
}

/** The files of the package managers, by path. */
export function formulas(text) {
  const { version, archives } = readSums(text);
  const windows = archives.get('windows-x64');
  return {
    'homebrew/appreg.rb': homebrew(version, archives),
    'scoop/appreg.json': scoop(version, windows),
    ...winget(version, windows),
  };
}

function homebrew(version, archives) {
  const source = (platform) => {
    const { url, sha256 } = archives.get(platform);
    return `      url "${url}"\n      sha256 "${sha256}"`;
  };
  const system = (name, platform) => `  on_${name} do
    on_arm do
${source(`${platform}-arm64`)}
    end
    on_intel do
${source(`${platform}-x64`)}
    end
  end`;
  return `class Appreg < Formula
  desc "${DESCRIPTION}"
  homepage "${REPOSITORY}"
  version "${version}"
  license "MIT"

${system('macos', 'macos')}

${system('linux', 'linux')}

  def install
    libexec.install Dir["*"]
    bin.install_symlink libexec/"appreg"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/appreg --version").strip
  end
end
`;
}

function scoop(version, { url, sha256 }) {
  const template = url.replaceAll(version, '$version');
  const manifest = {
    version,
    description: DESCRIPTION,
    homepage: REPOSITORY,
    license: 'MIT',
    architecture: { '64bit': { url, hash: sha256, extract_dir: `appreg-${version}-windows-x64` } },
    bin: 'appreg.cmd',
    checkver: 'github',
    autoupdate: {
      architecture: { '64bit': { url: template, extract_dir: 'appreg-$version-windows-x64' } },
      hash: { url: '$baseurl/SHA256SUMS' },
    },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const tail = (type) => `ManifestType: ${type}\nManifestVersion: 1.6.0\n`;

/** Schema 1.6: three files. */
function winget(version, { url, sha256 }) {
  const head = (type) =>
    `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.1.6.0.schema.json\nPackageIdentifier: appreg.appreg\nPackageVersion: ${version}\n`;
  return {
    'winget/appreg.appreg.yaml': `${head('version')}DefaultLocale: en-US\n${tail('version')}`,
    'winget/appreg.appreg.locale.en-US.yaml': `${head('defaultLocale')}PackageLocale: en-US
Publisher: The appreg authors
PackageName: appreg
PackageUrl: ${REPOSITORY}
License: MIT
LicenseUrl: ${REPOSITORY}/blob/main/LICENSE
ShortDescription: ${DESCRIPTION}
${tail('defaultLocale')}`,
    'winget/appreg.appreg.installer.yaml': `${head('installer')}InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
  - RelativeFilePath: appreg-${version}-windows-x64\\appreg.cmd
    PortableCommandAlias: appreg
Installers:
  - Architecture: x64
    InstallerUrl: ${url}
    InstallerSha256: ${sha256.toUpperCase()}
${tail('installer')}`,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [sums = 'SHA256SUMS', folder = 'formulas'] = process.argv.slice(2);
  for (const [path, text] of Object.entries(formulas(readFileSync(sums, 'utf8')))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
