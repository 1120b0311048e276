import type { BuildOptions, Message, Metafile } from 'esbuild';
import { printable, shorten } from '../core/text.ts';
import { Trouble } from '../core/trouble.ts';

/** What a build came to: the files that it would write, or the errors that kept it from doing so. */
export interface Built {
  files: { path: string; text: string }[];
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
    const result = await esbuild.build({ ...options, write: false, metafile: true, logLevel: 'silent' });
    const files = (result.outputFiles ?? []).map(({ path, text }) => ({ path, text }));
    return { files, errors: [], warnings: result.warnings, metafile: result.metafile ?? null };
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
