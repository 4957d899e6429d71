import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { textOf } from '../../operator/contract/loose-json';
import { clusterScoped } from './names';
import { identityOf, keyOf } from './object-identity';

/** A manifest of any kind, as YAML would say it. */
export type Manifest = Readonly<Record<string, unknown>>;

const WEBHOOKS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/**
 * Tells webhook configurations, which come last of all: whoever answers has to be there before anybody calls.
 *
 * @param manifest - of any kind
 * @returns true for both kinds
 */
export const isWebhookConfiguration = (manifest: Manifest): boolean => WEBHOOKS.includes(identityOf(manifest).kind);

/** Objects of the user's own, installed and removed together with the operator. */
export class ExtraObjects extends Construct {
  /**
   * Declares the objects as they are; only the labels of the chart are added.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param manifests - objects with apiVersion, kind and metadata.name; others are refused by `extraObjectProblems`
   */
  constructor(scope: Construct, id: string, manifests: readonly Manifest[]) {
    super(scope, id);
    const known = new Map(manifests.map((manifest) => [keyOf(identityOf(manifest)).replaceAll('/', '|'), manifest]));
    for (const [childId, manifest] of known) {
      const [apiVersion, { kind, namespace }] = [textOf(manifest['apiVersion']), identityOf(manifest)];
      if (apiVersion === '' || kind === '') continue;
      const object = new ApiObject(this, childId, { ...manifest, apiVersion, kind });
      // the chart's namespace would be a guess: the kind may be cluster-scoped
      if (namespace === '') clusterScoped(object);
    }
  }
}
