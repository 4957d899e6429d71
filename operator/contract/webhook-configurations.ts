import { WEBHOOK_NAMES } from './group';

/** A webhook configuration of ours, and the webhooks in it. */
export interface WebhookConfiguration {
  readonly resource: 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations';
  readonly name: string;
  readonly webhooks: readonly string[];
}

const VALIDATING = 'validatingwebhookconfigurations';

/** The webhook configurations of each front door that has webhooks. */
export const WEBHOOK_CONFIGURATIONS = {
  services: [
    {
      resource: 'mutatingwebhookconfigurations',
      name: WEBHOOK_NAMES.mutatingConfiguration,
      webhooks: [WEBHOOK_NAMES.mutating],
    },
    {
      resource: VALIDATING,
      name: WEBHOOK_NAMES.validatingConfiguration,
      // an installation from before the second one has the first one alone
      webhooks: [WEBHOOK_NAMES.validating, WEBHOOK_NAMES.pools],
    },
  ],
  egress: [
    {
      resource: VALIDATING,
      name: WEBHOOK_NAMES.egressConfiguration,
      webhooks: [WEBHOOK_NAMES.egressIpams, WEBHOOK_NAMES.egressIpamsGone, WEBHOOK_NAMES.namespaces],
    },
  ],
} as const satisfies Readonly<Record<string, readonly WebhookConfiguration[]>>;

/**
 * Lists the webhook configurations of the doors that are open.
 *
 * @param doors - which ones are
 * @returns theirs, in the order in which they are applied
 */
export const webhookConfigurations = (
  doors: Readonly<Record<keyof typeof WEBHOOK_CONFIGURATIONS, boolean>>,
): readonly WebhookConfiguration[] => [
  ...(doors.services ? WEBHOOK_CONFIGURATIONS.services : []),
  ...(doors.egress ? WEBHOOK_CONFIGURATIONS.egress : []),
];
