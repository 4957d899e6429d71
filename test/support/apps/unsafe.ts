// An app that breaks one rule of each validation; `validations/cli.test.ts` synthesizes it.
import { ApiObject, App, Chart } from 'cdk8s';

const app = new App();
const chart = new Chart(app, 'unsafe');

new ApiObject(chart, 'Pod', {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'root', namespace: 'web' },
  spec: { hostNetwork: true, containers: [] },
});

new ApiObject(chart, 'Hooks', {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'locks-everything' },
  webhooks: [
    {
      name: 'all.example.com',
      failurePolicy: 'Fail',
      sideEffects: 'None',
      timeoutSeconds: 10,
      admissionReviewVersions: ['v1'],
      clientConfig: { service: { name: 'hook', namespace: 'hooks' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    },
  ],
});

for (const [name, address] of Object.entries({ first: '192.0.2.0/24', second: '192.0.2.128/25' })) {
  new ApiObject(new Chart(app, `pool-${name}`), 'Pool', {
    apiVersion: 'metallb.io/v1beta1',
    kind: 'IPAddressPool',
    metadata: { name, namespace: 'metallb-system' },
    spec: { addresses: [address] },
  });
}

app.synth();
