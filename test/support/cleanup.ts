/** What test files leave behind. Files can share a process and its modules, so a hook of a shared module runs for one file only. */

const cleanups: (() => unknown)[] = [];

/** Calls the function after the last test of the current file. The function that was added last is called first. */
export function afterFile(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Called by the setup file for each test file. */
export async function cleanUp(): Promise<void> {
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) await cleanup();
}
