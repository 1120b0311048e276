/**
 * A value that all copies of a module in this process share: each command is bundled with its own copy.
 * @param name unique in the process
 * @param create called for the first use; every use of the name has the same type
 */
export function processWide<T>(name: string, create: () => T): T {
  const values = globalThis as { [key: symbol]: T | undefined };
  return (values[Symbol.for(name)] ??= create());
}
