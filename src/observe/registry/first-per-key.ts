/** Selects the first successful document per key, in the order in which they are started. */
export interface FirstPerKey {
  /**
   * @param isAnswered whether this one gets a response
   * @returns whether no earlier one of the same key did
   */
  claim(key: string, isAnswered: Promise<boolean>): Promise<boolean>;
}

/** Creates a selection without keys. */
export function openFirstPerKey(): FirstPerKey {
  const claims = new Map<string, Promise<boolean>>();
  return {
    async claim(key, isAnswered) {
      const earlier = claims.get(key) ?? Promise.resolve(false);
      claims.set(
        key,
        earlier.then((isClaimed) => isClaimed || isAnswered),
      );
      return !(await earlier);
    },
  };
}
