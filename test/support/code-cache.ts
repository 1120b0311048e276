import { join } from 'node:path';

/**
 * For programs that do not inherit the environment of the tests: the folder with the compiled code of earlier runs. With
 * an empty home folder, each process compiles the program, which takes longer than most commands.
 */
export const CODE_CACHE = { APPREG_CACHE_DIR: join(import.meta.dirname, '../../.cache/appreg') };
