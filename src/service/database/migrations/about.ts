import { sql } from 'kysely';

/** What authors say about their apps and versions. */
export const ABOUT = [
  sql`CREATE TABLE about_files (
      registry_id integer NOT NULL,
      app_key text COLLATE "C" NOT NULL,
      url text NOT NULL,
      etag text,
      last_modified text,
      content bytea NOT NULL,
      homepage text,
      source text,
      licence text,
      support text,
      PRIMARY KEY (registry_id, app_key),
      FOREIGN KEY (registry_id, app_key) REFERENCES apps ON DELETE CASCADE)`,
  sql`CREATE TABLE about_versions (
      registry_id integer NOT NULL,
      app_key text COLLATE "C" NOT NULL,
      version text NOT NULL,
      published text,
      notes text,
      deprecated jsonb,
      PRIMARY KEY (registry_id, app_key, version),
      FOREIGN KEY (registry_id, app_key, version) REFERENCES versions ON DELETE CASCADE)`,
];
