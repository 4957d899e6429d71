import { KUBE_SYSTEM } from '../../operator/contract/group';
import { NAMESPACE_NAME_LABEL, selectorMatches } from '../../operator/contract/label-selector';
import { mapOf } from '../../operator/contract/loose-json';
import { isWebhookConfiguration } from '../objects/webhook-kinds';
import { at, mapsOf, textsOf, type Json } from './fields';
import { reportTo, type Check, type PlacedObject, type ValidationContext, type Violation } from './plugin';

const LONGEST_TIMEOUT = 30;

interface WebhookRule {
  readonly rule: string;
  readonly recommendation: string;
  readonly fix: string;
  /** Finds the fields at fault, seen from the webhook. */
  readonly locations: (webhook: Json) => readonly string[];
}

// The API server's default is Fail, so a policy that is left out counts as such.
const fails = (webhook: Json): boolean => webhook['failurePolicy'] !== 'Ignore';
const rulesOf = (webhook: Json): readonly Json[] => mapsOf(webhook['rules']);
const isClusterScoped = (webhook: Json): boolean => rulesOf(webhook).every(({ scope }) => scope === 'Cluster');

function reaches(webhook: Json, namespace: string): boolean {
  const selector = webhook['namespaceSelector'];
  return selectorMatches(selector === undefined ? undefined : mapOf(selector), {
    [NAMESPACE_NAME_LABEL]: namespace,
  });
}

// Namespaces that a webhook has to leave out: with Fail, a dead server would keep its own Pods from being made again.
function lockedNamespaces(webhook: Json): readonly string[] {
  const service = mapOf(mapOf(webhook['clientConfig'])['service'])['namespace'];
  const own = typeof service === 'string' ? [service] : [];
  return [...new Set([KUBE_SYSTEM, ...own])].filter((namespace) => reaches(webhook, namespace));
}

const RULES: readonly WebhookRule[] = [
  {
    rule: 'webhook/namespaces',
    recommendation: 'A webhook with failurePolicy Fail leaves out kube-system and the namespace of its own server',
    fix: `Exclude them in namespaceSelector: { matchExpressions: [{ key: ${NAMESPACE_NAME_LABEL}, operator: NotIn, values: [...] }] }`,
    locations: (webhook) => {
      const locked = fails(webhook) && !isClusterScoped(webhook) ? lockedNamespaces(webhook) : [];
      return locked.map((namespace) => `namespaceSelector reaches namespace "${namespace}"`);
    },
  },
  {
    rule: 'webhook/timeout',
    recommendation: 'A webhook says how long the API server waits for it',
    fix: `Set timeoutSeconds, 1 to ${LONGEST_TIMEOUT}`,
    locations: ({ timeoutSeconds }) =>
      typeof timeoutSeconds === 'number' && timeoutSeconds >= 1 && timeoutSeconds <= LONGEST_TIMEOUT
        ? []
        : [at('timeoutSeconds', timeoutSeconds)],
  },
  {
    rule: 'webhook/delete',
    recommendation: 'Nothing that is down keeps objects from being deleted',
    fix: 'Take DELETE out of the operations, or set failurePolicy: Ignore',
    locations: (webhook) =>
      rulesOf(webhook).flatMap(({ operations }, i) =>
        fails(webhook) && textsOf(operations).some((operation) => operation === 'DELETE' || operation === '*')
          ? [at(`rules[${i}].operations`, operations)]
          : [],
      ),
  },
  {
    rule: 'webhook/side-effects',
    recommendation: 'A dry run changes nothing, so that kubectl diff and previews work',
    fix: 'Set sideEffects to None or NoneOnDryRun',
    locations: ({ sideEffects }) =>
      ['None', 'NoneOnDryRun'].includes(String(sideEffects)) ? [] : [at('sideEffects', sideEffects)],
  },
  {
    rule: 'webhook/ca-bundle',
    recommendation: 'The manifest holds no CA: its injector and each apply of the manifest would overwrite each other',
    fix: 'Remove clientConfig.caBundle, an empty one too',
    locations: (webhook) =>
      'caBundle' in mapOf(webhook['clientConfig']) ? ['clientConfig.caBundle stands in the manifest'] : [],
  },
];

function violationsOf(placed: PlacedObject): readonly Violation[] {
  const { object } = placed;
  if (!isWebhookConfiguration(object)) return [];
  return RULES.flatMap(({ rule, recommendation, fix, locations }) => {
    const found = mapsOf(object['webhooks']).flatMap((webhook, i) =>
      locations(webhook).map((location) => `webhooks[${i}].${location}`),
    );
    return found.length === 0 ? [] : [{ rule, recommendation, fix, placed, locations: found }];
  });
}

/**
 * Finds webhooks that can lock a cluster or that fight with the injector of their CA.
 *
 * @param objects - of the whole app
 * @returns every violation
 */
export const webhookCheck: Check = (objects) => objects.flatMap(violationsOf);

/** Fails `cdk8s synth` on webhooks that can lock a cluster. */
export class WebhookSafety {
  /**
   * Runs in the CLI of cdk8s.
   *
   * @param context - files and report
   * @returns when the report is handed in
   */
  validate(context: ValidationContext): Promise<void> {
    reportTo(context, WebhookSafety.name, webhookCheck);
    return Promise.resolve();
  }
}
