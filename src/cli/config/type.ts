import type { BuildSettings } from '../../core/release/build-settings.ts';
import type { NotBlank } from '../../core/values/scalars.ts';
import type { ReleaseEntry } from '../../release/find-apps.ts';

/**
 * Do not write secrets here: use ${ENV_NAME}, or the store's usual environment variables.
 *
 * @title appreg configuration
 */
export interface Config {
  $schema?: string;
  /**
   * File name of the manifest in the workspace.
   *
   * @pattern ^[^/\\]+\.json$
   * @patternErrorMessage the name of a .json file without a folder, such as "registry.json"
   * @default registry.json
   */
  manifest?: string;
  /** The address that the workspace's files are served at; URLs are baseUrl + path. */
  baseUrl?: BaseUrl;
  /** Origins that browsers request from; empty or absent: any. */
  serviceOrigins?: Origin[];
  store?: ConfiguredStore;
  /** Options of all builds. Items of `release`, app.json and flags add to lists, and replace other values. */
  bundle?: BuildSettings & {
    /**
     * True if the archive has the license notices of the packages in its code.
     *
     * @default true
     */
    notices?: boolean;
    /**
     * True if the built code is loaded, unpacked and alone, before it is stored.
     *
     * @default true
     */
    loadTest?: boolean;
    /** The licenses that packages in the code may have, and what is known about them. */
    licenses?: {
      /** SPDX license expressions, such as MIT or "Apache-2.0 WITH LLVM-exception"; absent: any. */
      allow?: string[];
      /** The SPDX license expressions of packages that do not declare one, by name and version: busboy@1.6.0. */
      clarified?: Record<string, string>;
      /** The license texts of packages that contain none, by name and version, for the license notices. */
      texts?: Record<string, NotBlank>;
    };
  };
  /** Evidence beside artifacts: what is published, and what is checked. */
  evidence?: {
    /**
     * A bill of materials of each artifact that is built.
     *
     * @default false
     */
    sbom?: boolean;
    /**
     * An attestation of each version, signed with the OIDC token of the CI system.
     *
     * @default false
     */
    attest?: boolean;
    /** In place of attest: the environment variable with the private key that signs (PEM, ECDSA P-256). */
    attestKeyEnv?: NotBlank;
    /** The Sigstore instance that attest signs with; absent: the public one. */
    sigstore?: { fulcio: ConfiguredUrl; rekor: ConfiguredUrl };
    /**
     * The check of attestations by verify, diagnose and lint: as the options of the same names. lint verifies those
     * beside the artifacts of a workspace, also without a mode.
     */
    attestations?: {
      /** @default off */
      mode?: 'off' | 'report' | 'require';
      issuer?: NotBlank;
      identity?: NotBlank;
      repository?: NotBlank;
      /** A file, relative to the configuration. */
      key?: NotBlank;
      /** A file, relative to the configuration. */
      trustedRoot?: NotBlank;
    };
  };
  artifact?: {
    /**
     * The entry file of an app's code, at the top level of its artifact.
     *
     * @pattern ^(?!/)(?!(.*[/])?\.\.?(/|$))[^\\]+[^/\\]$
     * @patternErrorMessage a path inside the artifact, such as "app.js"
     * @default app.js
     */
    entry?: string;
  };
  /**
   * Where the apps of this repository are, for appreg release. Of entries that give the same key to the same folder, the
   * first one counts.
   */
  release?: ReleaseEntry[];
  /** The catalogue that appreg site generates. */
  site?: {
    /** The address that it is served at. */
    baseUrl?: BaseUrl;
    /** The name of the catalogue. */
    title?: NotBlank;
  };
  /** Severity by rule id. */
  rules?: Record<string, 'off' | 'note' | 'warning' | 'error'>;
  /** Findings that do not count. They stay in the report, and count for visibility and symptoms. */
  exceptions?: ConfiguredException[];
  verify?: {
    /**
     * @asType integer
     * @minimum 1
     * @maximum 256
     */
    concurrency?: number;
    /** @exclusiveMinimum 0 */
    timeout?: number;
    origins?: Origin[];
  };
}

type ConfiguredStore =
  | { type: 'directory' }
  | { type: 'git'; remote?: string; branch?: string }
  | {
      type: 's3';
      bucket: string;
      prefix?: string;
      region?: string;
      endpoint?: ConfiguredUrl;
      /** s3: use a store that ignores conditional writes. Safe only without other publishers at the same time. */
      unconditional?: boolean;
    };

/** Findings that do not count, and why. */
export interface ConfiguredException {
  /** The id of the rule. */
  rule: string;
  /** Only findings about this app; a glob. Absent: any. */
  app?: NotBlank;
  /** Only findings about these versions; a semver range such as <1.4. Absent: any. */
  version?: NotBlank;
  /** Only findings about these URLs; a glob: * matches within a path segment, ** across segments. Absent: any. */
  url?: NotBlank;
  /**
   * Of artifact-secret: only this secret, by the fingerprint that its message prints (16 hexadecimal digits); bundle,
   * publish-version and release then allow it as well. Absent: any.
   */
  secret?: NotBlank;
  /** The reason why the findings do not count. */
  reason: NotBlank;
  /**
   * The last day of the exception (YYYY-MM-DD, UTC); afterwards the findings count again. Required for rules about
   * immutability.
   */
  until?: string;
  /** Where it is tracked. */
  issue?: NotBlank;
}

/**
 * @pattern ^https?://[^\s/@?#]+(/[^\s?#]*)?$
 * @patternErrorMessage a URL with http: or https: and without user name, query and fragment, such as "https://apps.example.com/"
 */
type ConfiguredUrl = string;

/**
 * As the option `--base-url`: subscribers need https:, except of a registry on the same machine.
 *
 * @pattern ^(https://[^\s/@?#]+|http://(localhost|[^\s/@?#:]+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?)(/[^\s?#]*)?$
 * @patternErrorMessage a URL with https: (http: is only for localhost) and without user name, query and fragment, such as "https://apps.example.com/"
 */
type BaseUrl = string;

/**
 * Scheme, host and port, without a trailing slash.
 *
 * @pattern ^https?://[^\s/@?#]+$
 * @patternErrorMessage an origin without a path, such as "https://flows.example.com"
 */
type Origin = string;
