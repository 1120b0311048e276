import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type HostName, PRESETS } from '../../author/host-files.ts';
import { type NewFile, type NewWorkspace, workspaceFiles } from '../../author/workspace-files.ts';
import { printable, safeJson, shorten } from '../../core/text/text.ts';
import { VERSION } from '../../core/tool-version.ts';
import { AppregError } from '../../core/errors.ts';
import { asBase } from '../../observe/workspace/places.ts';
import { applyPlan } from '../../publish/apply-plan.ts';
import { planFiles } from '../../publish/new-files.ts';
import type { Plan } from '../../publish/plan.ts';
import { openDirectory } from '../../store/directory/directory.ts';
import { journaled } from '../../store/journal.ts';
import type { Store } from '../../store/store.ts';
import type { Context, GlobalOptions } from '../context.ts';
import { wantsJson } from '../format.ts';
import { answersTo, type Question } from '../io/prompts.ts';
import { BASE_URL, BUCKET, CI, HOST, MANIFEST, ORIGIN, R2_ENDPOINT, STORE } from '../io/questions.ts';
import type { Config } from '../config/config.ts';
import { openStore } from '../config/open-store.ts';
import { quoted, shownPath } from '../io/shown-path.ts';

interface Options extends GlobalOptions {
  baseUrl?: string;
  manifest?: string;
  serviceOrigin?: string[];
  store?: string;
  bucket?: string;
  prefix?: string;
  region?: string;
  endpoint?: string;
  remote?: string;
  branch?: string;
  host?: string;
  ci?: string;
}

/** `appreg init [dir]`: scaffolds a workspace. Existing files are never overwritten. */
export async function init(context: Context, dir: string | undefined, options: Options): Promise<number> {
  const { cwd, terminal } = context;
  const json = wantsJson('init', options.format);
  const { manifest = 'registry.json', ci = 'none', serviceOrigin: serviceOrigins = [] } = options;
  const host = hostFrom(options.host);
  const fitting = host === null ? null : PRESETS[host].store;
  const type = options.store ?? fitting?.type ?? 'directory';
  const asked = [
    [BASE_URL, options.baseUrl],
    [MANIFEST, manifest],
    [STORE, type],
    [CI, ci],
    ...serviceOrigins.map((origin) => [ORIGIN, origin] as const),
    ...(type === 's3' ? [[BUCKET, options.bucket] as const] : []),
    ...(type === 's3' && host === 'r2' ? [[R2_ENDPOINT, options.endpoint] as const] : []),
  ] as const;
  const answers = await answersTo(
    terminal,
    asked.map(([question]) => question),
    asked.map(([, given]) => given),
  );
  if (answers === null) return 130;
  const answerTo = (question: Question): string | undefined => answers[asked.findIndex(([one]) => one === question)];
  const preset = fitting?.type === type ? fitting : {};
  const answered = { bucket: answerTo(BUCKET), endpoint: answerTo(R2_ENDPOINT) };
  const kept = storeFrom(type, options, { ...preset, ...given(options), ...given(answered) });
  const baseUrl = asBase(answers[0]!);
  if (dir === '')
    throw new AppregError('option-invalid', 'The name of the folder is empty.', 'Leave it out for the current folder.');
  const root = resolve(cwd, dir ?? '.');

  const files = workspaceFiles({
    manifest,
    baseUrl,
    serviceOrigins,
    ci: ci as 'github' | 'gitlab' | 'none',
    store: kept,
    host,
    appreg: VERSION,
  });
  const elsewhere = type !== 'directory';
  const folder = context.journal ? journaled(openDirectory(root), context.journal) : openDirectory(root);
  const local = files.filter(({ served }) => !elsewhere || !served);
  // Report local conflicts before anything is written.
  const plan = await planFiles(folder, local);
  const remote: Written[] = [];
  if (elsewhere) {
    const store = await openStore(context, kept as Config['store'], root);
    // An existing registry in the store is reused unchanged.
    const there = (await store.read(manifest)) !== null;
    if (there) remote.push({ path: manifest, status: 'unchanged' });
    const served = files.filter((file) => file.served && !(there && file.path === manifest));
    remote.push(...(await put(await planFiles(store, served), store, served)));
  }
  const results = [...(await put(plan, folder, local)), ...remote];
  if (json)
    terminal.out(
      safeJson({ root, manifest, baseUrl, manifestUrl: baseUrl + encodeURIComponent(manifest), files: results }),
    );
  else for (const { path, status } of results) terminal.out(`${status} ${printable(shownPath(cwd, join(root, path)))}`);
  if (baseUrl.startsWith('http:'))
    terminal.log(`${baseUrl} is good for trying things out; subscribers need an https address.`);
  if (ci !== 'none' && !existsSync(join(root, '.git')))
    terminal.log('The CI file works at the top of a git repository; this folder is none yet.');
  const there = shownPath(cwd, root);
  terminal.next(`${there === '' ? '' : `cd ${quoted(printable(there))} && `}appreg add-app <key>`);
  return 0;
}

interface Written {
  path: string;
  status: 'created' | 'unchanged';
}

/** Writes the files that do not exist yet. */
async function put(plan: Plan, store: Store, files: readonly NewFile[]): Promise<Written[]> {
  await store.tidy?.(files.map(({ path }) => path));
  await applyPlan(plan, store);
  const created = new Set(plan.steps.map((step) => step.path));
  return files.map(({ path }) => ({ path, status: created.has(path) ? 'created' : 'unchanged' }));
}

type StoreFields = Partial<Record<'bucket' | 'prefix' | 'region' | 'endpoint' | 'remote' | 'branch', string>>;

const TAKEN = { directory: [], git: ['remote', 'branch'], s3: ['bucket', 'prefix', 'region', 'endpoint'] } as const;

/** The given fields of a store. */
function given(options: { [Name in keyof StoreFields]?: string | undefined }): StoreFields {
  const names = Object.values(TAKEN).flat();
  return Object.fromEntries(names.filter((name) => options[name]).map((name) => [name, options[name]]));
}

/** The store section of the configuration. Throws AppregError for a flag that belongs to another kind of store. */
function storeFrom(type: string, options: Options, fields: StoreFields): NewWorkspace['store'] {
  for (const [kind, flags] of Object.entries(TAKEN))
    for (const flag of flags)
      if (kind !== type && options[flag] !== undefined)
        throw new AppregError(
          'option-conflict',
          `--${flag} belongs to --store ${kind}.`,
          `Add --store ${kind}, or leave --${flag} out.`,
        );
  const all: StoreFields = type === 'git' ? { remote: 'origin', branch: 'gh-pages', ...fields } : fields;
  const own: readonly (keyof StoreFields)[] = TAKEN[type as keyof typeof TAKEN];
  return Object.fromEntries([
    ['type', type],
    ...own.filter((name) => all[name] !== undefined).map((name) => [name, all[name]]),
  ]);
}

/** Throws AppregError (exit 2) for a host without a known configuration. */
function hostFrom(name: string | undefined): HostName | null {
  if (name === undefined) return null;
  const fault = HOST.fault(name);
  if (fault === null) return name as HostName;
  throw new AppregError(
    'option-invalid',
    `--host “${printable(shorten(name, 80))}”: ${fault}`,
    'appreg init --help tells what each option takes.',
  );
}
