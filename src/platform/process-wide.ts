/**
 * A value that all copies of a module in this process share: each command is bundled with its own copy.
 * @param name unique in the process
 * @param create called for the first use; every use of the name has the same type
 */
export function processWide<T>(name: string, create: () => T): T {
  const key = Symbol.for(name);
  if (!Reflect.has(globalThis, key)) Reflect.set(globalThis, key, create());
  const value: T = Reflect.get(globalThis, key);
  return value;
}
