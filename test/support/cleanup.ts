/**
 * Removes the files and processes of test files. Files can share a process and its modules, so a hook of a shared
 * module runs for one file only.
 */

const cleanups: (() => unknown)[] = [];

/** Calls the function after the last test of the current file. The function that was added last is called first. */
export function afterFile(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Called by the setup file for each test file. All cleanups run, also after one that fails. */
export async function cleanUp(): Promise<void> {
  const errors: unknown[] = [];
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
    try {
      await cleanup();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'The cleanup of the file failed.');
}
