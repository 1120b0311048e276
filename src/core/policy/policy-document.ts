import type { RetirementReason } from '../about/about-document.ts';

/** The policy of a subscription, as it is written: the one declaration behind schemas/policy.schema.json and its validator. */

/**
 * The versions of a registry that a subscriber takes. A version is offered if no field holds it back. Every field
 * except schema is optional, and an absent one holds nothing back.
 *
 * @title Policy of a subscription
 */
export interface PolicyDocument {
  $schema?: string;
  schema: 1;
  /**
   * Only what is listed here is offered.
   *
   * @minItems 1
   * @maxItems 1000
   */
  allow?: Selector[];
  /**
   * Apps and versions that are not offered, even if they are allowed.
   *
   * @maxItems 1000
   */
  deny?: Selector[];
  /** By app key: only versions in the range are offered. */
  pin?: Record<AppKey, PinnedRange>;
  /** The minimum time since the subscriber first saw a version. */
  minimumAge?: Age;
  /**
   * Apps and versions that are offered at any age.
   *
   * @maxItems 1000
   */
  minimumAgeExclude?: Selector[];
  /**
   * True (default): a version that was there when the subscriber first looked is as old as that look, and one whose first
   * sight is not known is held back. False: both are offered.
   */
  minimumAgeStrict?: boolean;
  /** True: the version that its author names in place of one that is retired for security is offered at any age. */
  minimumAgeExcludeSecurityFixes?: boolean;
  /**
   * Apps and versions that are only offered with a valid attestation of the signer that the subscription expects.
   *
   * @maxItems 1000
   */
  requireAttestation?: Selector[];
  /** The reasons of retirement with which a version is still offered; without the field, all of them. */
  allowDeprecated?: RetirementReason[];
}

/**
 * Versions of apps: an app key, in which * matches any characters, and after @ a range of versions.
 *
 * @maxLength 400
 * @pattern ^[A-Za-z0-9_*-]+(@\s*[^\s].*)?$
 * @patternErrorMessage an app key such as "clock", a pattern such as "acme-*", or one with a range such as "clock@<1.2.0"
 */
type Selector = string;

/**
 * @pattern ^[A-Za-z0-9_-]+$
 * @patternErrorMessage an app key: letters, digits, hyphens and underscores
 */
type AppKey = string;

/**
 * @maxLength 256
 * @pattern \S
 * @patternErrorMessage a version range such as "1.2.0", "^1.2" or "<2.0.0-0"
 */
type PinnedRange = string;

/**
 * A number of hours (h) or days of 24 hours (d).
 *
 * @pattern ^[1-9]\d{0,3}[hd]$
 * @patternErrorMessage hours or days, such as "72h" or "3d"
 */
type Age = string;
