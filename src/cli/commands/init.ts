import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type NewFile, type NewWorkspace, workspaceFiles } from '../../author/workspace-files.ts';
import { printable, safeJson } from '../../core/text.ts';
import { VERSION } from '../../core/tool.ts';
import { Trouble } from '../../core/trouble.ts';
import { asBase } from '../../observe/places.ts';
import { carryOut } from '../../publish/carry-out.ts';
import { planFiles } from '../../publish/new-files.ts';
import { openDirectory } from '../../store/directory.ts';
import type { Store } from '../../store/store.ts';
import type { Context, GlobalOptions } from '../context.ts';
import { wantsJson } from '../format.ts';
import { answersTo } from '../prompts.ts';
import { BASE_URL, BUCKET, CI, MANIFEST, ORIGIN, STORE } from '../questions.ts';
import type { Config } from '../config.ts';
import { openStore } from '../open-store.ts';

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
  ci?: string;
}

/** `appreg init [dir]`: scaffolds a workspace. Nothing that is there is overwritten. */
export async function init(context: Context, dir: string | undefined, options: Options): Promise<number> {
  const { cwd, terminal } = context;
  const json = wantsJson('init', options.format);
  const {
    manifest = 'registry.json',
    store: type = 'directory',
    ci = 'none',
    serviceOrigin: serviceOrigins = [],
  } = options;
  const origins = serviceOrigins.map(() => ORIGIN);
  const buckets = type === 's3' ? [BUCKET] : [];
  const answers = await answersTo(
    terminal,
    [BASE_URL, MANIFEST, STORE, CI, ...origins, ...buckets],
    [options.baseUrl, manifest, type, ci, ...serviceOrigins, ...buckets.map(() => options.bucket)],
  );
  if (answers === null) return 130;
  const kept = storeFrom(type, options, answers.at(-1)!);
  const baseUrl = asBase(answers[0]!);
  if (dir === '')
    throw new Trouble('folder-name', 'The name of the folder is empty.', 'Leave it out for the current folder.');
  const root = resolve(cwd, dir ?? '.');

  const files = workspaceFiles({
    manifest,
    baseUrl,
    serviceOrigins,
    ci: ci as 'github' | 'gitlab' | 'none',
    store: kept,
    appreg: VERSION,
  });
  const elsewhere = type !== 'directory';
  const folder = openDirectory(root);
  const results = await put(
    folder,
    files.filter(({ path }) => !elsewhere || path !== manifest),
  );
  if (elsewhere) {
    const store = await openStore(context, kept as Config['store'], root);
    const there = (await store.read(manifest)) !== null;
    if (there) results.push({ path: manifest, status: 'unchanged' });
    else
      results.push(
        ...(await put(
          store,
          files.filter(({ path }) => path === manifest),
        )),
      );
  }
  if (json)
    terminal.out(
      safeJson({ root, manifest, baseUrl, manifestUrl: baseUrl + encodeURIComponent(manifest), files: results }),
    );
  else for (const { path, status } of results) terminal.out(`${status} ${printable(join(relative(cwd, root), path))}`);
  if (baseUrl.startsWith('http:'))
    terminal.log(`${baseUrl} is good for trying things out; subscribers need an https address.`);
  if (ci !== 'none' && !existsSync(join(root, '.git')))
    terminal.log('The CI file works at the top of a git repository; this folder is none yet.');
  const there = relative(cwd, root);
  terminal.next(`${there === '' ? '' : `cd ${printable(there)} && `}appreg add-app <key>`);
  return 0;
}

/** Writes what is not there yet. */
async function put(store: Store, files: readonly NewFile[]): Promise<{ path: string; status: string }[]> {
  const plan = await planFiles(store, files);
  await carryOut(plan, store);
  const created = new Set(plan.steps.map((step) => step.path));
  return files.map(({ path }) => ({ path, status: created.has(path) ? 'created' : 'unchanged' }));
}

/** The store's part of the configuration. Throws Trouble for a flag that belongs to another kind of store. */
function storeFrom(type: string, options: Options, bucket: string): NewWorkspace['store'] {
  const taken: Record<string, readonly (keyof Options)[]> = {
    git: ['remote', 'branch'],
    s3: ['bucket', 'prefix', 'region', 'endpoint'],
  };
  for (const [kind, flags] of Object.entries(taken))
    for (const flag of flags)
      if (kind !== type && options[flag] !== undefined)
        throw new Trouble(
          'option-unfit',
          `--${flag} belongs to --store ${kind}.`,
          `Add --store ${kind}, or leave --${flag} out.`,
        );
  if (type === 'git') return { type, remote: options.remote ?? 'origin', branch: options.branch ?? 'gh-pages' };
  if (type !== 's3') return { type };
  const { prefix, region, endpoint } = options;
  return { type, bucket, ...(prefix && { prefix }), ...(region && { region }), ...(endpoint && { endpoint }) };
}
