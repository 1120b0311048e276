import { resolve } from 'node:path';
import type { Earlier } from '../../core/facts.ts';
import { type Judging, startJudging } from '../../core/judge.ts';
import { printable, redact } from '../../core/text.ts';
import { Trouble } from '../../core/trouble.ts';
import { fromSnapshot } from '../../observe/earlier.ts';
import { earlierFromUrl } from '../../observe/earlier-web.ts';
import { concealer } from '../../observe/http-secrets.ts';
import { observeRegistry, type Progress, type Seen, type WebOptions } from '../../observe/web.ts';
import { checked, printReport, severitiesOf } from '../checks.ts';
import type { Context } from '../context.ts';
import { readSnapshot, type SnapshotWriter, writeSnapshot } from '../snapshot-file.ts';
import { registryUrl, type VerifyOptions, webOptionsOf } from '../verify-options.ts';

/** `appreg verify <registry-url>`: checks a live registry. Exit codes as interface.md has them; 130 when interrupted. */
export async function verify(context: Context, url: string, options: VerifyOptions): Promise<number> {
  return checked(context, 'verify', redact(url), async () => {
    const started = performance.now();
    const { config } = await context.config();
    const registry = registryUrl(url);
    const target = registry.href;
    const web = webOptionsOf(context, config, registry, options);
    const severities = severitiesOf(context, config);
    const before = options.against === undefined ? null : await earlierState(context, options.against, web);
    const now = new Date().toISOString();
    const judging = startJudging({ command: 'verify', target, now, severities, before, origins: web.origins ?? [] });
    const head = { target, seenAt: now, origins: [...(web.origins ?? [])] };
    const writer =
      options.save === undefined
        ? null
        : writeSnapshot(
            resolve(context.cwd, options.save),
            head,
            concealer((web.secrets?.headers ?? []).map(([, value]) => value)),
          );
    let apps = 0;
    try {
      const seen = await watch(context, target, web, judging, writer, () => (apps += 1));
      if (seen.unknownApps.length > 0)
        throw new Trouble(
          'app-unknown',
          `The registry lists no app “${printable(seen.unknownApps.join('”, “'))}”.`,
          'App keys are compared letter by letter, case included.',
        );
      const incomplete = seen.interrupted ? `interrupted after ${apps} ${apps === 1 ? 'app' : 'apps'}` : null;
      writer?.finish(incomplete);
      const report = judging.finish(Math.round(performance.now() - started) / 1000, incomplete);
      const code = printReport(context, report, context.options.maxWarnings ?? null);
      return seen.interrupted ? 130 : code;
    } finally {
      writer?.abandon();
    }
  });
}

/** Looks, judges and saves app by app, with progress; Ctrl-C ends the look, a second one the program. */
async function watch(
  context: Context,
  target: string,
  web: WebOptions,
  judging: Judging,
  writer: SnapshotWriter | null,
  onApp: () => void,
): Promise<Seen> {
  const interrupt = new AbortController();
  const stop = (): void => interrupt.abort();
  process.once('SIGINT', stop);
  const line = context.terminal.progress(`Asking ${new URL(target).host}`);
  let manifestSaved = false;
  try {
    const seen = await observeRegistry(
      target,
      { ...web, signal: interrupt.signal, onProgress: progressLine((text) => line.update(text)) },
      {
        manifest(facts) {
          judging.manifest(facts);
          writer?.manifest(facts);
          manifestSaved = true;
        },
        app(facts) {
          judging.app(facts);
          writer?.app(facts);
          onApp();
        },
      },
    );
    if (!manifestSaved) writer?.abandon();
    return seen;
  } finally {
    line.stop();
    process.off('SIGINT', stop);
  }
}

const EVERY = 100;

function progressLine(say: (text: string) => void): (progress: Readonly<Progress>) => void {
  const started = performance.now();
  let last = 0;
  return ({ done, known, bytes, app }) => {
    const now = performance.now();
    if (now - last < EVERY) return;
    last = now;
    const rate = bytes / Math.max(0.1, (now - started) / 1000);
    say(
      `${done} of ${known} files, ${megabytes(bytes)} MB at ${megabytes(rate)} MB/s${app === null ? '' : `, ${app}`}`,
    );
  };
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
}

/** What had been published: facts that were saved earlier, or another live registry. */
async function earlierState(context: Context, where: string, web: WebOptions): Promise<Earlier> {
  if (!/^https?:\/\//i.test(where)) return fromSnapshot(readSnapshot(resolve(context.cwd, where)), where);
  return earlierFromUrl(registryUrl(where).href, { ...web, secrets: null }, new Date().toISOString());
}
