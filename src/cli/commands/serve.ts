import { message, safe } from '../../core/text/message.ts';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { printable, printableExcerpt, redact } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { authorityFolder, localCertificate, type LocalCertificate } from '../../serve/local-ca.ts';
import { type Served, startServer, type Serving } from '../../serve/server.ts';
import { findManifest } from '../../serve/manifest.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { stopSignal } from '../io/stop-signal.ts';
import { printResult } from '../io/results.ts';
import { refuseStored } from '../config/stored-state.ts';
import type { Terminal } from '../io/terminal.ts';
import type { serveCommand } from '../define/serve.ts';
import { isLink, whyNotRegularFile } from '../../platform/regular-file.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { quotedPath } from '../io/shown-path.ts';

export type ServeCommandOptions = OptionsOf<typeof serveCommand>;

/**
 * `appreg serve [dir]`: serves a workspace until interrupted. The first line of stdout is the manifest's URL, printed
 * when ready. Returns 130 after SIGINT, 0 after SIGTERM.
 */
export async function runServe(
  context: Context,
  dir: string | undefined,
  options: ServeCommandOptions,
): Promise<number> {
  const { terminal } = context;
  const place = await workspace(context, dir);
  const { root, manifest, config, file } = place;
  const host = options.host ?? '127.0.0.1';
  const certificate =
    options.https === true ? await localCertificate(resolve(authorityFolder(context.env)), host) : null;
  const serviceOrigins = config.serviceOrigins ?? [];
  const rewriteFrom = options.rewrite === false ? null : (config.baseUrl ?? null);
  // Their URLs would not be rewritten, so that a check of this server would check the public host.
  if (rewriteFrom !== null)
    (await import('../../workspace/base-url.ts')).refuseOtherBaseIn(root, { baseUrl: rewriteFrom, manifest });
  const stopped = stopSignal();
  const serving = await startServer({
    root,
    manifest,
    host,
    port: options.port ?? 8080,
    serviceOrigins,
    rewriteFrom,
    https: certificate ?? false,
    hidden: file === null ? [] : [file],
    onRequest: (line) => logRequest(terminal, line),
  }).catch((error: unknown) => {
    stopped.forget();
    throw error;
  });
  const { url, manifestUrl } = serving;
  printResult<'serve'>(context, {
    pretty: () => manifestUrl,
    json: () => ({ manifestUrl, url, root, caFile: certificate?.caFile ?? null }),
  });
  remarks(terminal, { root, serving, serviceOrigins, rewriteFrom, certificate });
  const signal = await stopped.signal;
  terminal.detail(message`${signal}: closing`);
  await serving.close();
  return signal === 'SIGINT' ? 130 : 0;
}

/** The folder to serve: the given one if it holds a manifest, otherwise the workspace that contains it. */
async function workspace(
  context: Context,
  dir: string | undefined,
): Promise<{ root: string; manifest: string; config: Config; file: string | null }> {
  const from = resolve(context.cwd, dir ?? '.');
  const stats = await stat(from).catch(() => null);
  if (!stats?.isDirectory()) {
    throw new AppregError(
      'not-a-folder',
      message`${from} is not a folder.`,
      message`Give the folder of a workspace; appreg init creates one.`,
    );
  }
  const loaded = await context.config(from);
  const { config, file, root } = loaded;
  for (const folder of new Set([from, root])) {
    const manifest = await findManifest(folder, config.manifest);
    requireReadable(join(folder, manifest ?? config.manifest ?? 'registry.json'));
    if (manifest !== null) return { root: folder, manifest, config, file };
  }
  refuseStored(loaded, root, config.manifest ?? 'registry.json');
  throw new AppregError(
    'manifest-missing',
    message`${config.manifest ?? 'registry.json'} does not exist in ${from}.`,
    message`Give the folder of a workspace (appreg serve <dir>), or create one with appreg init.`,
  );
}

/** @throws AppregError `file-unreadable` for a manifest that exists and cannot be served */
function requireReadable(path: string): void {
  const failed = whyNotRegularFile(path);
  if (failed === null || (failed.code === 'ENOENT' && !isLink(path))) return;
  throw new AppregError(
    'file-unreadable',
    message`${path} ${failed.failure}.`,
    message`Check the path and its permissions.`,
  );
}

function remarks(
  terminal: Terminal,
  about: {
    root: string;
    serving: Serving;
    serviceOrigins: readonly string[];
    rewriteFrom: string | null;
    certificate: LocalCertificate | null;
  },
): void {
  const { root, serving, serviceOrigins, rewriteFrom, certificate } = about;
  terminal.log(message`Serving ${root}; press Ctrl+C to stop.`);
  terminal.log(
    serviceOrigins.length > 0
      ? message`CORS is allowed for: ${serviceOrigins.join(', ')}`
      : message`CORS is allowed for any origin.`,
  );
  if (rewriteFrom !== null) terminal.log(message`URLs below ${rewriteFrom} are served as ${serving.url}…`);
  if (certificate) {
    const created = certificate.isNew
      ? 'Certificate signed by a new local authority'
      : 'Certificate signed by your local authority';
    const path = printable(certificate.caFile);
    terminal.log(
      message`${created}: ${path}\nTo trust it: --ca ${quotedPath(path)} for appreg, NODE_EXTRA_CA_CERTS=${quotedPath(path)} for Node.js, --cacert for curl.`,
    );
  }
  const ca = certificate ? ` --ca ${quotedPath(printable(certificate.caFile))}` : '';
  const origin = serviceOrigins.map((item) => ` --origin ${printable(item)}`).join('');
  terminal.next(message`appreg verify ${serving.manifestUrl}${ca}${origin}`);
}

function logRequest(terminal: Terminal, { method, target, status, milliseconds, error }: Served): void {
  const request = `${printable(method)} ${printableExcerpt(redact(target))}`;
  const line = message`${request} ${status} ${Math.round(milliseconds)} ms`;
  if (error === null) return terminal.detail(line);
  const code = systemErrorCode(error);
  if (code === 'ERR_STREAM_PREMATURE_CLOSE')
    return terminal.detail(message`${safe(line)}: the client closed the connection`);
  terminal.log(message`${safe(line)}: ${error.message}`);
}
