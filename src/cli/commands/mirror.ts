import { message, type SafeText } from '../../core/text/message.ts';
import { dirname, resolve } from 'node:path';
import { isSafeKey } from '../../core/registry/app-key.ts';
import { counted, printable, redact, safeExcerpt, shorten } from '../../core/text/text.ts';
import { mirror } from '../../mirror/mirror.ts';
import type { Mirrored, MirrorProgress } from '../../mirror/run.ts';
import { webOptionsOf } from '../check/verify-options.ts';
import { registryUrl } from '../../core/url/registry-url.ts';
import { asBase } from '../../observe/workspace/places.ts';
import { openDirectory } from '../../store/directory/directory.ts';
import { byteSize } from '../../report/words.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import { resolveInputs } from '../io/prompts.ts';
import { onSignals, redeliver } from '../io/stop-signal.ts';
import type { Terminal } from '../io/terminal.ts';
import { quotedPath } from '../io/shown-path.ts';
import { mirrorCommand } from '../define/mirror.ts';

type Options = OptionsOf<typeof mirrorCommand>;

/** Maximum lines of each kind; --format json contains all. */
const MAX_LINES = 50;

/** `appreg mirror <registry-url> <dir>`: a verified copy with rewritten URLs. Exit 1 if it is incomplete. */
export async function runMirror(context: Context, url: string, dir: string, options: Options): Promise<number> {
  const { terminal, cwd } = context;
  const inputs = await resolveInputs(context, {
    baseUrl: { option: mirrorCommand.options.baseUrl, given: options.baseUrl },
  });
  if (inputs === null) return 130;
  const { config } = await context.config();
  const source = registryUrl(url);
  const web = webOptionsOf(context, config, source, options);
  const root = resolve(cwd, dir);
  const base = asBase(inputs.baseUrl);
  const name = source.pathname.replace(/^.*\//, '');
  const manifest = /^[\w-][\w.-]*\.json$/.test(name) ? name : 'registry.json';
  const interrupt = new AbortController();
  const signals = onSignals(
    () => interrupt.abort(),
    (signal) => {
      signals.off();
      redeliver(signal);
    },
  );
  const line = terminal.progress(message`Requesting ${source.host}`);
  let result: Mirrored;
  try {
    result = await mirror(source.href, root, {
      ...web,
      base,
      configuredBase: () => configuredBase(context, root),
      manifest,
      apps: web.apps ?? null,
      versions: web.versions ?? 'all',
      prune: options.prune === true,
      skipCompanions: options.skipCompanions === true,
      signal: interrupt.signal,
      showProgress: (read) => line.update(() => describeProgress(read())),
    });
  } finally {
    line.stop();
    signals.off();
  }
  // A run that was interrupted before it wrote anything leaves no configuration either.
  if (!result.interrupted || result.apps > 0)
    await openDirectory(root).create(
      'appreg.config.json',
      Buffer.from(`${JSON.stringify({ manifest, baseUrl: base }, null, 2)}\n`),
    );
  printProblems(terminal, result);
  printResult<'mirror'>(context, {
    pretty: () => describeMirror(result),
    json: () => ({ root, baseUrl: base, manifest, ...jsonOf(result) }),
    summary: () => mirrorSummary(result),
  });
  if (!result.interrupted)
    terminal.next(
      message`appreg lint ${quotedPath(printable(dir))} (checks all checksums without the network, even if the folder is moved)`,
    );
  if (result.interrupted) return signals.exit();
  return result.problems.length > 0 ? 1 : 0;
}

function printProblems(terminal: Terminal, { problems }: Mirrored): void {
  for (const { app, version, url, code, message } of problems.slice(0, MAX_LINES)) {
    const what = [app, version].filter((part) => part !== null).join(' ');
    terminal.error(shown(`${what}: ${message} (${code}${url === null ? '' : `, ${redact(url)}`})`));
  }
  if (problems.length > MAX_LINES)
    terminal.error(message`${counted(problems.length - MAX_LINES, 'more error')}; --format json lists all of them.`);
}

/** The base URL in the configuration of a folder; null if it has none. */
async function configuredBase(context: Context, root: string): Promise<string | null> {
  const { config, file } = await context.config(root);
  if (file === null || dirname(file) !== root || config.baseUrl === undefined) return null;
  return asBase(config.baseUrl);
}

function describeMirror(result: Mirrored): string {
  const lines: string[] = [];
  for (const app of result.unpublished.slice(0, MAX_LINES))
    lines.push(shown(`note   ${app}: no version is published yet; the copy does not list it (no-valid-versions)`));
  for (const { app, version } of result.kept.slice(0, MAX_LINES))
    lines.push(
      shown(
        `kept   ${app}${version === null ? '' : ` ${version}`}: no longer listed by the source (--prune deletes it)`,
      ),
    );
  for (const path of result.pruned.slice(0, MAX_LINES)) lines.push(shown(`pruned ${path}`));
  lines.push(mirrorSummary(result));
  return lines.join('\n');
}

/** Without the number of companion files if there were none, as in most registries. */
function jsonOf({ companions, ...result }: Mirrored): Omit<Mirrored, 'companions'> & { companions?: number } {
  return companions === 0 ? result : { ...result, companions };
}

function mirrorSummary(result: Mirrored): SafeText {
  const head = result.interrupted ? 'Interrupted; run the command again to continue' : 'Mirrored';
  return message`${head}: ${counted(result.apps, 'app')}, ${counted(result.versions, 'version')}, ${result.fetched} fetched (${byteSize(result.bytes)})${result.companions > 0 ? `, ${counted(result.companions, 'companion file')}` : ''}${result.problems.length > 0 ? `, ${counted(result.problems.length, 'error')}` : ''}`;
}

function shown(text: string): SafeText {
  return message`${safeExcerpt(text, 400)}`;
}

function describeProgress({ done, known, bytes, app }: MirrorProgress): SafeText {
  return message`${done} of ${known} files, ${byteSize(bytes)}${app !== null && isSafeKey(app) ? `, ${shorten(app, 60)}` : ''}`;
}
