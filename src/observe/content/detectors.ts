/** The forms of secrets: tokens that their service marks by a prefix, and where other detectors have to look. */

interface TokenForm {
  kind: string;
  pattern: RegExp;
}

/** Tokens of services that the preset of secretlint does not know. */
export const TOKEN_FORMS: readonly TokenForm[] = [
  { kind: 'aws-access-key-id', pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])/g },
  { kind: 'stripe-key', pattern: /(?<![A-Za-z0-9])[rs]k_live_[A-Za-z0-9]{16,247}/g },
  { kind: 'gitlab-token', pattern: /(?<![A-Za-z0-9])gl(?:pat|ptt|dt|rt|soat|ft|cbt)-[A-Za-z0-9_-]{20,64}/g },
  { kind: 'huggingface-token', pattern: /(?<![A-Za-z0-9])hf_[A-Za-z]{34}(?![A-Za-z0-9])/g },
  { kind: 'pypi-token', pattern: /pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,1000}/g },
  { kind: 'digitalocean-token', pattern: /(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{64}/g },
  { kind: 'google-oauth-secret', pattern: /(?<![A-Za-z0-9])GOCSPX-[A-Za-z0-9_-]{28}/g },
  { kind: 'telegram-bot-token', pattern: /(?<![A-Za-z0-9])\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g },
  { kind: 'azure-storage-key', pattern: /AccountKey=[A-Za-z0-9+/]{86}==/g },
  { kind: 'databricks-token', pattern: /(?<![A-Za-z0-9])dapi[a-f0-9]{32}(?![a-z0-9])/g },
  { kind: 'groq-key', pattern: /(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{52}(?![A-Za-z0-9])/g },
  { kind: 'postman-key', pattern: /(?<![A-Za-z0-9])PMAK-[a-f0-9]{24}-[a-f0-9]{34}/g },
  { kind: 'grafana-token', pattern: /(?<![A-Za-z0-9])glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}/g },
  { kind: 'docker-token', pattern: /(?<![A-Za-z0-9])dckr_pat_[A-Za-z0-9_-]{27}/g },
  { kind: 'figma-token', pattern: /(?<![A-Za-z0-9])figd_[A-Za-z0-9_-]{40}/g },
  { kind: 'vault-token', pattern: /(?<![A-Za-z0-9])hvs\.[A-Za-z0-9_-]{90,400}/g },
  { kind: 'atlassian-token', pattern: /(?<![A-Za-z0-9])ATATT3[A-Za-z0-9_=-]{180,260}/g },
  { kind: 'new-relic-key', pattern: /(?<![A-Za-z0-9])NRAK-[A-Z0-9]{27}/g },
  { kind: 'square-secret', pattern: /(?<![A-Za-z0-9])sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}/g },
  { kind: 'supabase-token', pattern: /(?<![A-Za-z0-9])sb[psv]_[a-f0-9]{40}(?![a-z0-9])/g },
  { kind: 'age-key', pattern: /AGE-SECRET-KEY-1[0-9A-Z]{58}/g },
  { kind: 'openai-key', pattern: /(?<![A-Za-z0-9])sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{100,200}/g },
  { kind: 'discord-webhook', pattern: /discord(?:app)?\.com\/api\/webhooks\/\d{15,21}\/[A-Za-z0-9_-]{60,80}/g },
];

/** Where a detector has to look: the first characters, of which there are at least three, and the rest. */
interface Anchor {
  starts: readonly string[];
  /** Has to match at the start; absent if the first characters suffice. */
  pattern?: RegExp;
  /** True for private keys, which are longer than any other secret. */
  isKey?: true;
}

/**
 * Each match of a detector has one of these in it, or begins with one: those of the token forms above, of the rules of
 * secretlint's preset, and of private keys.
 */
export const ANCHORS: readonly Anchor[] = [
  { starts: ['PRIVATE KEY'], isKey: true },
  { starts: ['SECRET', 'secret', 'Secret'], pattern: /[sS](?:ECRET|ecret)_?[aA](?:CCESS|ccess)_?[kK]/y },
  { starts: ['npm_'], pattern: /npm_[A-Za-z0-9_]{36}/y },
  { starts: ['x-oauth-basic@'] },
  { starts: ['://'], pattern: /:\/\/[^:/\s]{1,256}:[^@/\s]{1,256}@/y },
  { starts: ['xoxb-', 'xoxp-', 'xapp-', 'xoxa-', 'xoxo-', 'xoxr-'] },
  { starts: ['.slack.com/services/'] },
  { starts: ['SG.'], pattern: /SG\.\w{1,128}\.\w/y },
  { starts: ['shppa_', 'shpca_', 'shpat_', 'shpss_'] },
  { starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'] },
  { starts: ['T3BlbkFJ', 'sk-ant-api0', 'lin_api_', 'ops_ey'] },
  { starts: ['AKIA', 'ASIA'], pattern: /A[KS]IA[A-Z2-7]{16}/y },
  { starts: ['sk_live_', 'rk_live_', 'glpat-', 'glptt-', 'gldt-', 'glrt-', 'glsoat-', 'glft-', 'glcbt-'] },
  { starts: ['hf_'], pattern: /hf_[A-Za-z]{34}/y },
  { starts: ['pypi-AgE', 'dop_v1_', 'doo_v1_', 'dor_v1_', 'GOCSPX-'] },
  { starts: [':AA'], pattern: /:AA[A-Za-z0-9_-]{33}/y },
  { starts: ['AccountKey='], pattern: /AccountKey=[A-Za-z0-9+/]{86}/y },
  { starts: ['dapi'], pattern: /dapi[a-f0-9]{32}/y },
  { starts: ['gsk_'], pattern: /gsk_[A-Za-z0-9]{52}/y },
  { starts: ['PMAK-', 'glsa_', 'dckr_pat_', 'figd_', 'ATATT3', 'NRAK-', 'sq0atp-', 'sq0csp-', 'AGE-SECRET-KEY-1'] },
  { starts: ['hvs.'], pattern: /hvs\.[A-Za-z0-9_-]{90}/y },
  { starts: ['sbp_', 'sbs_', 'sbv_'], pattern: /sb[psv]_[a-f0-9]{40}/y },
  { starts: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', '/api/webhooks/'] },
];
