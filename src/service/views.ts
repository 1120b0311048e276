import type { SymptomStatus } from '../core/engine/report.ts';

/** What the service tells about its state, to the API and the page alike. Moments are ISO 8601; absent values null. */

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
   * `new`: never checked yet. `checking`: a refresh is under way. `good`: the last check found no error. `problems`: it
   * could be read, with errors. `failing`: the manifest could not be used; what was known before stays in force.
   */
  state: 'new' | 'checking' | 'good' | 'problems' | 'failing';
  checkedAt: string | null;
  goodAt: string | null;
  failingSince: string | null;
  nextCheckAt: string;
  errors: number;
  warnings: number;
  symptoms: SymptomStatus[];
  /** Apps in the manifest, and those of them that can be installed. */
  apps: number;
  visible: number;
}

export interface AppView {
  key: string;
  name: string;
  description: string;
  color: string | null;
  /** With its "#"; '' where there is none. */
  iconFragment: string;
  /** SHA-256 in hexadecimal digits of the icon to show, or null. */
  icon: string | null;
  /** Whether it can be installed: it is listed, and a version of it is verified; null while that is being found out. */
  visible: boolean | null;
  /** Why it cannot be installed, or not yet: a code for programs, words for people. */
  reasons: { code: string; message: string }[];
  /** The highest version that is offered, or null. */
  latest: string | null;
  /** How many versions are offered, and how many are known: refused, pending and withdrawn ones too. */
  offered: number;
  versions: number;
  /** Since when its metadata file could not be used; null while it can. */
  failingSince: string | null;
}

/** An app that can be installed, and the registry that offers it. */
export interface InstallableView extends AppView {
  registry: { id: string; name: string };
}

export interface VersionView {
  version: string;
  artifactUrl: string;
  /** The digest in force: that of the first sight. */
  artifactChecksum: string;
  firstSeenAt: string;
  /** `pending`, `verified` and `refused` as in the table; a withdrawn one is not offered any more. */
  state: 'pending' | 'verified' | 'refused' | 'withdrawn';
  /** Whether it is offered for installation. */
  offered: boolean;
  reason: { rule: string; message: string } | null;
  verifiedAt: string | null;
  bytes: number | null;
  /** What is listed now, where that is another digest; the one in force is not changed by that. */
  swappedChecksum: string | null;
  withdrawnAt: string | null;
}
