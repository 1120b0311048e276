/** What the hosts of a registry serve, and what the subscriber is requested to do. */
export type SubscriberScript = Readonly<Record<string, unknown>>;

/** What the subscriber has to show and request. */
export type SubscriberExpectation = Readonly<Record<string, unknown>>;
