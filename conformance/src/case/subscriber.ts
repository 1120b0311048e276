import type { Count } from 'appreg';

/**
 * Responses of the hosts, and requests to the subscriber, step by step. Texts may contain `{registry}`, `{cdn}` and the
 * other names of hosts (their origins), `{sha256:/path}`, `{SHA256:/path}`, `{sha1:/path}`, `{md5:/path}` and
 * `{sri:/path}` (digests of the bytes at a path), `{unzipped:/path}` (the SHA-256 of the decompressed bytes), and
 * `{secret}` (a random text).
 */
export type SubscriberScript = readonly SubscriberStep[];

/** Has one of these members. */
export interface SubscriberStep {
  /** By path of the host `registry`, or by `<host>:<path>`, such as `cdn:/lamp.tar.gz`. Null deletes a file. */
  serve?: Readonly<Record<string, ServedFile | null>>;
  subscribe?: VerbOptions;
  refresh?: VerbOptions;
  /** Moves the clock forward by seconds. */
  advance?: Count;
}

/** Arguments of a verb of the subscriber. */
interface VerbOptions {
  /** Of the manifest; `{registry}/registry.json` if absent. */
  url?: string;
}

/** A response. Its body is the first of the members about bodies; without one it is empty. */
export interface ServedFile {
  /** A manifest with these apps; their entries are complete unless a member is replaced, or deleted by null. */
  apps?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** A metadata file: by version, the members that replace those of its entry; `path` is that of its artifact. */
  versions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  json?: unknown;
  text?: string;
  base64?: string;
  /** A .tar.gz with these entries. */
  archive?: readonly ArchiveEntry[];
  /** The bytes of another path, or only the first ones. */
  same?: string;
  first?: Count;
  /** Spaces follow the body until it has this number of bytes. */
  padTo?: Count;

  status?: Count;
  /** Null deletes a header that is sent by default. */
  headers?: Readonly<Record<string, string | null>>;
  redirect?: string;
  /** Sends this entity tag, and 304 to a request with it. */
  etag?: string;
  /** Compresses the body, with `Content-Encoding: gzip`: for clients that accept it, or for all. */
  gzip?: 'accepted' | 'always';
  /** Milliseconds before the response. */
  delay?: Count;
  /** Bytes of the body that are sent before the connection is closed. */
  cut?: Count;
  /** The mark of the end of the body; by `Content-Length` if absent. `cut-chunk`: it is not marked. */
  framing?: 'chunked' | 'close' | 'cut-chunk';
  /** In place of a response: the connection is reset, stays open without a response, or the body never ends. */
  fault?: 'reset' | 'silent' | 'endless';
  /** The response to later requests. */
  then?: ServedFile;
}

/** An entry of an archive. */
export interface ArchiveEntry {
  path: string;
  text?: string;
  /** A number of zeros in place of a text. */
  zeros?: Count;
  /** The type flag of its header: 0 file, 1 hard link, 2 symbolic link, 3 device, 5 directory. */
  type?: string;
  link?: string;
}

/** Required results of the verbs of the script, in their order. */
export type SubscriberExpectation = readonly VerbExpectation[];

/** An absent member is not judged. */
export interface VerbExpectation {
  exit?: 'success' | 'failure';
  /**
   * By key, what has to be offered; null: no version. By version: true: it is offered; false: it is not; `any`: not
   * judged; another text: it is offered with this checksum. Versions and apps that are not named must not be offered.
   */
  apps?: Readonly<Record<string, Readonly<Record<string, boolean | string>> | null>>;
  /** By key, the highest offered version. */
  latest?: Readonly<Record<string, string>>;
  /** About the requests of this verb. */
  requests?: readonly RequestExpectation[];
}

/** Number of requests that is required; `max: 0` forbids them. */
export interface RequestExpectation {
  /** A path of the host `registry`, or `<host>:<path>`. `*` at the end matches any text. */
  path: string;
  method?: string;
  /** By name in lower case: whether it is sent, or its value. */
  headers?: Readonly<Record<string, boolean | string>>;
  min?: Count;
  max?: Count;
}
