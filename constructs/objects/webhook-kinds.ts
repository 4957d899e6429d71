/** Kinds by which the API server calls a server for objects of others: those that mutate first. */
export const WEBHOOK_KINDS: readonly string[] = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/**
 * Tells webhook configurations, which come last of all: their server has to be there before it is called.
 *
 * @param object - of any kind
 * @param object.kind - its kind
 * @returns true for both kinds
 */
export const isWebhookConfiguration = ({ kind }: { readonly kind?: unknown }): boolean =>
  typeof kind === 'string' && WEBHOOK_KINDS.includes(kind);
