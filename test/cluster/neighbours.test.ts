import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { conditionIs } from './support/cluster-client';
import { eventually } from './support/eventually';
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

const serviceIn = (zone: string, name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default', annotations: { 'ipam.vitistack.io/zone': zone } },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
});

/** Serial number of the certificate that a server shows. */
async function shownSerial(server: { readonly host: string; readonly port: number }): Promise<string> {
  const socket = connect({ ...server, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

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

  test('the API server calls a standalone operator by the synthesized webhooks', async () => {
    const operator = await startOperator(plane(), { name: 'standalone', standalone: true });
    const [answer] = await plane().client.apply([serviceIn('inet', 'alone')]);
    await operator.stop();

    expect(answer?.body.metadata.annotations).toMatchObject({
      'metallb.io/address-pool': 'inet',
      'metallb.io/loadBalancerIPs': expect.stringMatching(/^83\.118\.168\./) as string,
    });
  });

  test('the operator runs as its Deployment says, MetalLB assigns what it answers, and a restart moves nothing', async () => {
    const operator = await startOperator(plane());
    const [first] = await plane().client.apply([serviceIn('inet', 'shop')]);
    const address = first?.body.metadata.annotations?.['metallb.io/loadBalancerIPs'];
    const assigned = await plane().client.objectWhen(
      '/api/v1/namespaces/default/services/shop',
      ({ status }) => status?.['loadBalancer']?.['ingress'] !== undefined,
    );
    await operator.kill();
    await operator.restart();
    const [again] = await plane().client.apply([serviceIn('inet', 'shop')]);
    await operator.stop();

    expect(assigned.status?.['loadBalancer']?.['ingress']).toEqual([expect.objectContaining({ ip: address })]);
    expect(again?.body.metadata.annotations?.['metallb.io/loadBalancerIPs']).toBe(address);
  });

  test('a Secret that changes reaches the folder of the operator, as under a kubelet', async () => {
    const operator = await startOperator(plane());
    const secret = '/api/v1/namespaces/ipam-system/secrets/webhook-server-cert';
    const { data: old } = await plane().client.request('GET', secret);
    await plane().client.request('DELETE', secret);
    const renewed = await plane().client.objectWhen(secret, ({ data }) => data?.['tls.crt'] !== old?.['tls.crt']);
    const { serialNumber } = new X509Certificate(Buffer.from(renewed.data?.['tls.crt'] ?? '', 'base64'));
    const shown = await eventually(async () => (await shownSerial(operator.webhooks)) === serialNumber && serialNumber);
    await operator.stop();

    expect(shown).toBe(serialNumber);
  });
});
