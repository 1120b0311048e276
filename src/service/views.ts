import type { SymptomStatus } from '../core/engine/report.ts';

/** The state of the service, for both the API and the page. Times are ISO 8601; absent values null. */

export interface OrganizationView {
  id: string;
  name: string;
  createdAt: string;
  tokenSince: string;
}

export interface SubscriptionView {
  id: string;
  url: string;
  name: string;
  official: boolean;
  createdAt: string;
  /**
   * `new`: never checked yet. `checking`: a refresh is running. `good`: the last check found no error. `problems`: it
   * could be read, with errors. `failing`: the manifest could not be used; the previous state stays in force.
   */
  state: 'new' | 'checking' | 'good' | 'problems' | 'failing';
  checkedAt: string | null;
  goodAt: string | null;
  failingSince: string | null;
  nextCheckAt: string;
  errors: number;
  warnings: number;
  symptoms: SymptomStatus[];
  /** Apps in the manifest, and the number of them that can be installed. */
  apps: number;
  visible: number;
}

export interface AppView {
  key: string;
  name: string;
  description: string;
  color: string | null;
  /** With its "#"; '' if there is none. */
  iconFragment: string;
  /** SHA-256 in hexadecimal digits of the icon to show, or null. */
  icon: string | null;
  /** Whether it can be installed: it is listed, and one of its versions is verified; null while unknown. */
  visible: boolean | null;
  /** Why it cannot be installed, or not yet: a code for programs, a message for people. */
  reasons: { code: string; message: string }[];
  /** The highest offered version, or null. */
  latest: string | null;
  /** The number of offered and of known versions, including refused, pending and withdrawn ones. */
  offered: number;
  versions: number;
  /** Since when its metadata file has not been usable; null while it is. */
  failingSince: string | null;
}

/** An app that can be installed, and the registry that offers it. */
export interface InstallableView extends AppView {
  registry: { id: string; name: string };
}

export interface VersionView {
  version: string;
  artifactUrl: string;
  /** The digest in force: the first one observed. */
  artifactChecksum: string;
  firstSeenAt: string;
  /** `pending`, `verified` and `refused` as in the table; a withdrawn version is not offered any more. */
  state: 'pending' | 'verified' | 'refused' | 'withdrawn';
  /** Whether it is offered for installation. */
  offered: boolean;
  reason: { rule: string; message: string } | null;
  verifiedAt: string | null;
  bytes: number | null;
  /** The digest listed now, if it differs; this does not change the one in force. */
  swappedChecksum: string | null;
  withdrawnAt: string | null;
}
