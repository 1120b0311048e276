import { sql } from 'kysely';

/**
 * What the policies of subscriptions decide about versions. A subscription with a policy is offered only versions with a
 * decision, so that a new version is held back until the policy was applied to it. Versions are deleted meanwhile, and
 * their decisions at the end of a check.
 */
export const POLICIES = [
  sql`CREATE TABLE policy_decisions (
      subscription_id uuid NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      registry_id integer NOT NULL,
      app_key text COLLATE "C" NOT NULL,
      version text NOT NULL,
      checksum text NOT NULL,
      cause text,
      line text,
      offered_at timestamptz,
      PRIMARY KEY (subscription_id, registry_id, app_key, version),
      CHECK ((cause IS NULL) = (line IS NULL)),
      CHECK (cause IS NOT NULL OR offered_at IS NOT NULL))`,
];
