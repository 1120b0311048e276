/** The limits of a request, if the command specifies no others. */

export const MAX_ARTIFACT_BYTES = 2 ** 31;

/** Milliseconds per request in total: for documents and icons, and for artifacts. */
export const DEFAULT_TIMEOUTS = { small: 60_000, artifact: 600_000 };
