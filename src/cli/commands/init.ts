import { message, type SafeText } from '../../core/text/message.ts';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { publishes } from '../../author/github-workflow.ts';
import { PRESETS } from '../../author/host-files.ts';
import { CONFIG_FILE, type NewFile, type NewWorkspace, workspaceFiles } from '../../author/workspace-files.ts';
import { counted, printable } from '../../core/text/text.ts';
import { VERSION } from '../../core/values/tool-version.ts';
import { AppregError } from '../../core/errors/error.ts';
import { asBase } from '../../observe/workspace/places.ts';
import { applyPlan } from '../../publish/apply-plan.ts';
import { requireWritable } from '../../publish/require-writable.ts';
import { planFiles } from '../../publish/new-files.ts';
import type { Plan } from '../../publish/plan.ts';
import { openDirectory } from '../../store/directory/directory.ts';
import { journaled } from '../../store/journal.ts';
import type { WrittenFile } from '../../report/results.ts';
import type { Store } from '../../store/store.ts';
import { STORES } from '../define/choices.ts';
import type { TextOption } from '../define/command.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import { requireValid, resolveInputs } from '../io/prompts.ts';
import type { Config } from '../config/config.ts';
import { openStore } from '../config/open-store.ts';
import { quotedPath, shownPath } from '../io/shown-path.ts';
import { type ExistingSettings, existingSettings } from './init/existing-settings.ts';
import { initCommand } from '../define/init.ts';

/** Cloudflare assigns each account its own endpoint. */
const R2_ENDPOINT: TextOption = {
  ...initCommand.options.endpoint,
  prompt: {
    message: 'S3 API endpoint of R2? (in the dashboard: R2 › Settings › S3 API)',
    placeholder: 'https://<account id>.r2.cloudflarestorage.com',
  },
};

type Options = OptionsOf<typeof initCommand>;

/** `appreg init [dir]`: scaffolds a workspace. Existing files are never overwritten. */
export async function runInit(context: Context, dir: string | undefined, options: Options): Promise<number> {
  const { cwd, terminal } = context;
  const root = resolve(cwd, dir ?? '.');
  await requireNoFile(root, cwd);
  const existing = await existingSettings(context, root, options);
  const attest = options.attest ?? existing?.attest ?? false;
  const settings = await settingsFrom(context, { ...options, ...existing?.options, attest });
  if (settings === null) return 130;
  if (options.attest === true) refuseUnusedAttest(settings);
  const { manifest, baseUrl, ci } = settings;
  const results = await writeWorkspace(context, root, settings, existing);
  printResult<'init'>(context, {
    pretty: () =>
      results
        .map(({ path, status, store }) => {
          const place = store === null ? shownPath(cwd, join(root, path)) : `${path} in ${store}`;
          return `${status} ${printable(place)}`;
        })
        .join('\n'),
    json: () => ({ root, manifest, baseUrl, manifestUrl: baseUrl + encodeURIComponent(manifest), files: results }),
    summary: () => message`${counted(results.length, 'file')}`,
  });
  if (baseUrl.startsWith('http:'))
    terminal.log(message`${baseUrl} is only suitable for local tests; subscribers need an https: URL.`);
  const shownRoot = shownPath(cwd, root);
  const folder = shownRoot === '' ? '' : quotedPath(printable(shownRoot));
  if (ci !== 'none' && !existsSync(join(root, '.git')))
    terminal.log(
      message`The CI file only works at the top level of a git repository: run git init${folder && ` ${folder}`}, or move the file to the top level.`,
    );
  if (settings.store.type === 'git') terminal.log(howToShow(settings.store, manifest));
  terminal.next(message`${folder && `cd ${folder} && `}appreg add-app <key>`);
  return 0;
}

/** @throws AppregError for --attest if no job publishes */
function refuseUnusedAttest({ ci, store }: NewWorkspace): void {
  if (ci !== 'none' && publishes({ store })) return;
  throw new AppregError(
    'option-conflict',
    message`--attest is only valid with a CI workflow that publishes.`,
    message`Add --ci github or --ci gitlab, and --store git or --store s3. Elsewhere, publish with publish-version --attest.`,
    { effect: 'none' },
  );
}

/** The registry's branch is not checked out, so its files are not in the folder. */
function howToShow({ remote = 'origin', branch = 'gh-pages' }: NewWorkspace['store'], manifest: string): SafeText {
  const show = `git fetch ${quotedPath(remote)} ${quotedPath(branch)} && git show FETCH_HEAD:${quotedPath(manifest)}`;
  return message`The registry is in that branch, not in this folder; to show its manifest: ${show}`;
}

/** Throws AppregError `not-a-folder` (exit 2) if the workspace, or a folder that it is in, is a file. */
async function requireNoFile(root: string, cwd: string): Promise<void> {
  for (let path = root; dirname(path) !== path; path = dirname(path)) {
    const stats = await stat(path).catch(() => null);
    if (stats?.isDirectory() === true) return;
    if (stats !== null)
      throw new AppregError(
        'not-a-folder',
        message`${shownPath(cwd, path)} is a file, not a folder.`,
        message`Choose another folder.`,
        { effect: 'none' },
      );
  }
}

/** The settings of the new workspace, from options and prompts; null if the user cancelled. */
async function settingsFrom(context: Context, options: Options): Promise<NewWorkspace | null> {
  const flags = initCommand.options;
  const { manifest = 'registry.json', ci = 'none', serviceOrigin: serviceOrigins = [] } = options;
  const host = options.host ?? null;
  const preset = host === null ? null : PRESETS[host].store;
  const type = options.store ?? preset?.type ?? 'directory';
  requireValid(flags.manifest, manifest, context);
  for (const origin of serviceOrigins) requireValid(flags.serviceOrigin, origin, context);
  const inputs = await resolveInputs(context, {
    baseUrl: { option: flags.baseUrl, given: options.baseUrl },
    ...(type === 's3' && { bucket: { option: flags.bucket, given: options.bucket } }),
    ...(type === 's3' && host === 'r2' && { endpoint: { option: R2_ENDPOINT, given: options.endpoint } }),
  });
  if (inputs === null) return null;
  const { baseUrl, ...storeInputs } = inputs;
  const attest = options.attest === true;
  const store = storeSettings(type, options, {
    ...(preset?.type === type && preset),
    ...storeFields(options),
    ...storeFields(storeInputs),
  });
  return {
    manifest,
    baseUrl: asBase(baseUrl),
    serviceOrigins,
    ci,
    attest,
    store,
    host,
    appreg: VERSION,
  };
}

/** Creates the files that are missing, in the folder and in the configured store. */
async function writeWorkspace(
  context: Context,
  root: string,
  settings: NewWorkspace,
  existing: ExistingSettings | null,
): Promise<WrittenFile[]> {
  const { manifest, store: storeSettings } = settings;
  const files = workspaceFiles(settings).filter(({ path }) => existing === null || path !== CONFIG_FILE);
  const folder = context.journal ? journaled(openDirectory(root), context.journal) : openDirectory(root);
  const isRemote = storeSettings.type !== 'directory';
  const localFiles = files.filter(({ served }) => !isRemote || !served);
  // Report local conflicts before anything is written.
  const plan = await planFiles(folder, localFiles);
  await requireWritable(plan.steps, folder);
  const remote: WrittenFile[] = [];
  if (isRemote) {
    const store = await openStore(context, existing?.store ?? (storeSettings as Config['store']), root);
    // An existing registry in the store is reused unchanged.
    const exists = (await store.read(manifest)) !== null;
    if (exists) remote.push({ path: manifest, status: 'unchanged', store: store.name });
    const served = files.filter((file) => file.served && !(exists && file.path === manifest));
    const written = await createFiles(await planFiles(store, served), store, served);
    remote.push(...written.map((file) => ({ ...file, store: store.name })));
  }
  const configuration: WrittenFile[] =
    existing === null ? [] : [{ path: existing.file, status: 'unchanged', store: null }];
  return [...configuration, ...(await createFiles(plan, folder, localFiles)), ...remote];
}

/** Writes the files that do not exist yet. */
async function createFiles(plan: Plan, store: Store, files: readonly NewFile[]): Promise<WrittenFile[]> {
  await store.tidy?.(files.map(({ path }) => path));
  await applyPlan(plan, store);
  const created = new Set(plan.steps.map((step) => step.path));
  return files.map(({ path }) => ({ path, status: created.has(path) ? 'created' : 'unchanged', store: null }));
}

/** The fields of each type of store, which are options of the same name. */
const STORE_FIELDS = {
  directory: [],
  git: ['remote', 'branch'],
  s3: ['bucket', 'prefix', 'region', 'endpoint'],
} as const satisfies Record<(typeof STORES)[number], readonly (keyof Options)[]>;

type StoreField = (typeof STORE_FIELDS)['git' | 's3'][number];
type StoreFields = Partial<Record<StoreField, string>>;

/** The given fields of a store; an empty value counts as absent. */
function storeFields(options: { [Name in StoreField]?: string | undefined }): StoreFields {
  const fields: StoreFields = {};
  for (const name of Object.values(STORE_FIELDS).flat()) {
    const value = options[name];
    if (value) fields[name] = value;
  }
  return fields;
}

/** The store section of the configuration. Throws AppregError for an option of another type of store. */
function storeSettings(type: (typeof STORES)[number], options: Options, fields: StoreFields): NewWorkspace['store'] {
  for (const other of STORES)
    for (const name of STORE_FIELDS[other])
      if (other !== type && options[name] !== undefined)
        throw new AppregError(
          'option-conflict',
          message`--${name} is only valid with --store ${other}.`,
          message`Add --store ${other}, or omit --${name}.`,
        );
  const defaults: StoreFields = type === 'git' ? { remote: 'origin', branch: 'gh-pages' } : {};
  const all = { ...defaults, ...fields };
  const store: NewWorkspace['store'] = { type };
  for (const name of STORE_FIELDS[type]) {
    const value = all[name];
    if (value !== undefined) store[name] = value;
  }
  return store;
}
