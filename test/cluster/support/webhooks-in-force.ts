import type { ClusterClient } from './cluster-client';
import { eventually } from './eventually';

let probes = 0;

/**
 * Waits until the API server calls webhooks by the configurations as they are stored now. It follows each kind of them by a watch, which
 * tells in order: once it calls a webhook of a new configuration, it has taken in what was stored before.
 */
export async function webhooksInForce(client: ClusterClient): Promise<void> {
  const probe = `probe-${String(++probes)}`;
  const manifestOf = (kind: string) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: probe },
    webhooks: [
      {
        name: `${kind.toLowerCase()}.${probe}.example`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        // nothing listens there, so that a call of it is seen by its failure
        clientConfig: { url: 'https://127.0.0.1:1/' },
        objectSelector: { matchLabels: { probe: `${probe}-${kind}` } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
    ],
  });
  for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
    const manifest = manifestOf(kind);
    await client.apply([manifest]);
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: probe, labels: { probe: `${probe}-${kind}` } },
    };
    await eventually(async () => {
      const { body } = await client.attempt('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', map);
      return body.message?.includes(`failed calling webhook "${kind.toLowerCase()}.${probe}.example"`);
    });
    await client.request('DELETE', await client.pathOf(manifest));
  }
}
