/** What is requested from a host. */
export type HostScript = Readonly<Record<string, unknown>>;

/** What the host has to answer. */
export type HostExpectation = Readonly<Record<string, unknown>>;
