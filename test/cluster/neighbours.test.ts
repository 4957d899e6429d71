import { conditionIs } from './support/cluster-client';
import { startCertManager, startMetalLb } from './support/neighbours';
import { applyInstallation } from './support/installation';
import { startOperator } from './support/operator-process';
import { useControlPlane } from './support/use-control-plane';

const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    await Promise.all([startMetalLb(control), startCertManager(control)]);
    await applyInstallation(control);
  },
});

const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1';

describe('what runs beside the operator', () => {
  test('cert-manager issues the serving certificate and injects its CA into both webhook configurations', async () => {
    const { client } = plane();
    const certificates = '/apis/cert-manager.io/v1/namespaces/ipam-system/certificates';
    await client.objectWhen(`${certificates}/ipam-serving-cert`, (each) => conditionIs(each, 'Ready'));
    const authority = await client.request('GET', '/api/v1/namespaces/ipam-system/secrets/webhook-server-cert');
    const injected = await Promise.all(
      ['mutatingwebhookconfigurations/ipam-mutating', 'validatingwebhookconfigurations/ipam-validating'].map((path) =>
        client.objectWhen(
          `${WEBHOOKS}/${path}-webhook-configuration`,
          ({ webhooks }) => webhooks?.[0]?.['clientConfig']?.['caBundle'] !== undefined,
        ),
      ),
    );

    expect(injected.map(({ webhooks }) => webhooks?.[0]?.['clientConfig']?.['caBundle'])).toEqual([
      authority.data?.['ca.crt'],
      authority.data?.['ca.crt'],
    ]);
  });

  test('the API server calls the operator by the synthesized webhooks, and MetalLB assigns what it answers', async () => {
    const { client } = plane();
    const operator = await startOperator(plane(), { standalone: true });
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'shop', namespace: 'default', annotations: { 'ipam.vitistack.io/zone': 'inet' } },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    };
    const [answer] = await client.apply([service]);
    const annotations = answer?.body.metadata.annotations ?? {};
    const assigned = await client.objectWhen(
      '/api/v1/namespaces/default/services/shop',
      ({ status }) => status?.['loadBalancer']?.['ingress'] !== undefined,
    );

    expect(annotations).toMatchObject({ 'metallb.io/address-pool': 'inet' });
    expect(assigned.status?.['loadBalancer']?.['ingress']).toEqual([
      expect.objectContaining({ ip: annotations['metallb.io/loadBalancerIPs'] }),
    ]);
    await operator.kill();
  });
});
