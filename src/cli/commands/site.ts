import { join, resolve, relative, sep } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { message, type SafeText } from '../../core/text/message.ts';
import { counted, printable, safeExcerpt, redact } from '../../core/text/text.ts';
import { type HiddenApp, type UnreadAbout, type AttestationOf, observedAttestation } from '../../site/catalogue.ts';
import { LIST_PAGE } from '../../site/paths.ts';
import { generateSite, type SiteResult } from '../../site/site.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import { quotedPath, shownPath } from '../io/shown-path.ts';
import { isHttpUrl, parseUrl } from '../../core/url/url.ts';
import { asBase, isWithin } from '../../observe/workspace/places.ts';
import type { VerifyBundle } from '../../observe/content/attestation.ts';
import type { RegistryDocuments } from '../../observe/workspace/tree-snapshot.ts';
import { localAttestations } from '../../site/local-attestations.ts';
import type { SiteRegistry } from '../../site/paths.ts';
import { refuseOtherBaseOf, refuseOtherBaseOfState } from '../../workspace/base-url.ts';
import { registryDocuments, type StateOptions } from '../../workspace/registry-state.ts';
import type { LoadedConfig } from '../config/config.ts';
import { trustOf } from '../check/attester.ts';
import { defaultFolder } from '../config/stored-state.ts';
import { stateOptions } from '../check/state-options.ts';
import type { siteCommand } from '../define/site.ts';

/** Maximum lines of each kind; --format json contains all. */
const MAX_LINES = 20;

const WHY: Readonly<Record<HiddenApp['why'], string>> = {
  'key-not-safe': 'its key is not URL-safe',
  'entry-invalid': 'its entry in the manifest lacks a required field, or a field has the wrong type',
  'metadata-unreadable': 'its metadata file cannot be read',
  'no-valid-versions': 'it has no valid version',
};

/** @param check the command that names the faults of the file */
const UNREAD: Readonly<Record<UnreadAbout['why'], (check: string) => string>> = {
  'about-invalid': (check) => `its about file is not valid (see appreg ${check})`,
  'about-unknown': () => 'the host did not return its about file; run the command again',
};

/**
 * `appreg site <dir>`: generates a catalogue of a registry as static files. Exit 1 with --check if it is not up to date.
 */
export async function runSite(context: Context, dir: string, options: SiteOptions): Promise<number> {
  const { terminal, cwd } = context;
  const { check = false, dryRun = false } = options;
  if (check && dryRun)
    throw new AppregError(
      'option-conflict',
      message`--check and --dry-run both write nothing.`,
      message`Use --check to exit with 1 if the site is not up to date, or --dry-run to exit with 0.`,
    );
  const folder = resolve(cwd, dir);
  const shownAs = shownPath(cwd, folder) || '.';
  const { documents, attestationOf, site, registryFolder } = await siteSource(context, folder, options);
  const line = terminal.progress(message`Generating the pages`);
  let result: SiteResult;
  try {
    result = await generateSite(folder, site, documents, attestationOf, {
      now: new Date().toISOString(),
      shownAs,
      isWriting: !check && !dryRun,
      // The folder of the registry itself.
      mayHaveOthers: () => folder === registryFolder,
      onProgress: (done, known) => line.update(() => message`${done} of ${known} files`),
    });
  } finally {
    line.stop();
  }
  const { created, changed, removed, unchanged, apps, hidden, unread } = result;
  const [documentCheck, aboutCheck] = isHttpUrl(options.from ?? '') ? ['verify', 'verify --about'] : ['lint', 'lint'];
  const leftOut = hidden.map(
    ({ key, why }) => message`Left out: ${safeExcerpt(key, 100)}, since ${WHY[why]} (see appreg ${documentCheck})`,
  );
  const without = unread.map(
    ({ key, why }) => message`Without what its author says: ${key}, since ${UNREAD[why](aboutCheck)}`,
  );
  logSome(context, leftOut);
  logSome(context, without);
  const isCurrent = created.length + changed.length + removed.length === 0;
  const status = statusOf(isCurrent, check || dryRun);
  printResult<'site'>(context, {
    pretty: () => describe(shownAs, status, result),
    json: () => ({
      root: folder,
      registryUrl: site.url,
      baseUrl: site.base,
      status,
      apps,
      created,
      changed,
      removed,
      unchanged,
      hidden,
      ...(unread.length > 0 && { unread }),
    }),
  });
  if (check) return isCurrent ? 0 : 1;
  if (site.base === null)
    terminal.log(message`The links in feeds are relative: set "site": { "baseUrl": … }, or use --base-url.`);
  if (!dryRun)
    terminal.next(
      message`open ${quotedPath(printable(join(shownAs, LIST_PAGE)))} in a browser, then upload the folder${site.base === null ? '' : ` to ${site.base}`}`,
    );
  return 0;
}

type Status = 'written' | 'planned' | 'unchanged';

function statusOf(isCurrent: boolean, isPlan: boolean): Status {
  if (isCurrent) return 'unchanged';
  return isPlan ? 'planned' : 'written';
}

function logSome({ terminal }: Context, lines: readonly SafeText[]): void {
  for (const line of lines.slice(0, MAX_LINES)) terminal.log(line);
  if (lines.length > MAX_LINES) terminal.log(message`and ${lines.length - MAX_LINES} more apps`);
}

function describe(shownAs: string, status: Status, result: SiteResult): SafeText {
  const { created, changed, removed, unchanged, apps } = result;
  const what = `${shownAs}: ${counted(apps, 'app')}`;
  if (status === 'unchanged') return message`${what}, up to date (${counted(unchanged, 'file')})`;
  const counts = `${created.length} new, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged`;
  return status === 'planned' ? message`${what}; would write: ${counts}` : message`${what}; files: ${counts}`;
}

export type SiteOptions = OptionsOf<typeof siteCommand>;

export interface SiteSource {
  documents: RegistryDocuments;
  attestationOf: AttestationOf;
  site: SiteRegistry;
  /** The folder of the registry; null if it is elsewhere. */
  registryFolder: string | null;
}

/**
 * Reads the registry that the options name.
 * @param folder of the site, absolute
 * @throws AppregError if it cannot be read, or if its URL is not known
 */
export async function siteSource(context: Context, folder: string, options: SiteOptions): Promise<SiteSource> {
  const where = options.from ?? (await defaultFolder(context));
  const documents = await registryDocuments(where, siteState(context, options));
  const { manifest } = documents;
  const registry = documents.folder && {
    root: documents.folder.root,
    base: documents.folder.baseUrl === null ? null : asBase(documents.folder.baseUrl),
  };
  const loaded = await context.config(registry?.root ?? context.cwd);
  const { baseUrl, site } = loaded.config;
  // The pages say at which address to subscribe.
  if (documents.folder !== null) refuseOtherBaseOf(documents.folder, documents.entries);
  else if (manifest.url === null && baseUrl !== undefined) refuseOtherBaseOfState(documents, baseUrl);
  const url = redact(manifest.url ?? manifestUrl(registry?.base ?? baseUrl ?? null, manifest.file ?? 'registry.json'));
  const base = options.baseUrl ?? site?.baseUrl ?? (registry === null ? null : baseBelow(registry, folder));
  return {
    documents,
    attestationOf: registry === null ? observedAttestation : localAttestations(registry, () => openVerifier(loaded)),
    site: {
      url,
      title: options.title ?? site?.title ?? `Apps of ${parseUrl(url)?.host ?? url}`,
      base: base === null ? null : asBase(base),
    },
    registryFolder: registry?.root ?? null,
  };
}

interface LocalRegistry {
  root: string;
  base: string | null;
}

/** @throws AppregError `base-url-missing` */
function manifestUrl(base: string | null, manifest: string): string {
  if (base !== null) return asBase(base) + encodeURIComponent(manifest);
  throw new AppregError(
    'base-url-missing',
    message`The configuration has no baseUrl, so the pages cannot say how to subscribe to the registry.`,
    message`Add "baseUrl" to appreg.config.json, or give the URL of the registry: --from <url>`,
  );
}

/** The address of a site in the folder of its registry; null for a site elsewhere. */
function baseBelow({ root, base }: LocalRegistry, folder: string): string | null {
  if (base === null || !isWithin(root, folder)) return null;
  const path = relative(root, folder).split(sep).map(encodeURIComponent).join('/');
  return path === '' ? base : `${base}${path}/`;
}

/** Of a live registry, about files and attestations are requested. */
function siteState(context: Context, options: SiteOptions): StateOptions {
  const state = stateOptions(context, options);
  return {
    ...state,
    about: true,
    async webOptions(registry) {
      const web = await state.webOptions?.(registry);
      return { ...web, attestations: await openVerifier(await context.config(context.cwd)) };
    },
  };
}

/** Verifies attestations with what the configuration names. */
async function openVerifier({ config, root }: LoadedConfig): Promise<VerifyBundle> {
  const { key, trustedRoot } = config.evidence?.attestations ?? {};
  const inFolder = (file: string | undefined): string | undefined => file && resolve(root, file);
  const trust = await trustOf(root, { key: inFolder(key), trustedRoot: inFolder(trustedRoot) });
  const { verifyAttestation } = await import('../../attestation/verify.ts');
  return (bundle) => verifyAttestation(bundle, trust);
}
