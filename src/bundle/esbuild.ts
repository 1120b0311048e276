import type { BuildOptions, Message, Metafile } from 'esbuild';
import { printable, shorten } from '../core/text.ts';
import { Trouble } from '../core/trouble.ts';

/** What a build came to: the files that it would write, or the errors that kept it from doing so. */
export interface Built {
  files: { path: string; contents: Uint8Array }[];
  errors: Message[];
  warnings: Message[];
  metafile: Metafile | null;
}

/**
 * Builds with the esbuild that is installed beside this package; writes nothing.
 * @throws Trouble when esbuild cannot be loaded or started, or does not know the target; errors in the code are returned
 */
export async function build(options: BuildOptions): Promise<Built> {
  const esbuild = await load();
  try {
    const settings = { ...options, write: false, metafile: true, logLevel: 'silent' } as const;
    const result = await withoutCollector(() => esbuild.build(settings));
    return {
      files: result.outputFiles ?? [],
      errors: [],
      warnings: result.warnings,
      metafile: result.metafile ?? null,
    };
  } catch (error) {
    const { errors, warnings, message } = error as { errors?: Message[]; warnings?: Message[]; message: string };
    const first = errors?.[0]?.text ?? message;
    if (/^Invalid (target|version)/.test(first)) {
      throw new Trouble(
        'target-unknown',
        `esbuild does not know the target. ${printable(first)}`,
        'Give one like node22, node20.19 or es2022.',
        { cause: error },
      );
    }
    if (Array.isArray(errors) && errors.length > 0)
      return { files: [], errors, warnings: warnings ?? [], metafile: null };
    if (/service|binary|host version|esbuild" package|could not be found|platform/i.test(message))
      throw unusable(error);
    throw error;
  }
}

/**
 * esbuild's own command line collects no garbage, the service behind its API does: a fifth of the whole time. The
 * service reads its environment when the first build starts it; the limit keeps it bounded in a program that lives on.
 */
function withoutCollector<T>(start: () => T): T {
  const { env } = process;
  if (env['GOGC'] !== undefined || env['GOMEMLIMIT'] !== undefined) return start();
  env['GOGC'] = 'off';
  env['GOMEMLIMIT'] = '1GiB';
  try {
    return start();
  } finally {
    delete env['GOGC'];
    delete env['GOMEMLIMIT'];
  }
}

async function load(): Promise<typeof import('esbuild')> {
  try {
    return await import('esbuild');
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(cause: unknown): Trouble {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new Trouble(
    'esbuild-unusable',
    `esbuild, which builds the code, does not work here: ${printable(shorten(message.split('\n')[0] ?? '', 300))}`,
    'Install it again for this system, where appreg is installed: npm install --force esbuild',
    { cause },
  );
}
