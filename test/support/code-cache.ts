import { join } from 'node:path';

/**
 * For programs that do not inherit the environment of the tests: the folder with the compiled code of earlier runs. With
 * an empty home folder, each process compiles the program, which takes longer than most commands. Tests run in the
 * folder of the project, also those that are bundled into one file, which do not know their own folder.
 */
export const CODE_CACHE = { APPREG_CACHE_DIR: join(process.cwd(), '.cache/appreg') };
