import { FakeVitistackApi } from '../../support/fake-vitistack-api';
import { servingPair } from '../../support/serving-pair';
import type { ControlPlane } from './control-plane';
import { startCertManager, startMetalLb } from './neighbours';

const CA = 'remote-ca';

/** Starts an IPAM-API of version 2 and the neighbours of an operator, and puts the CA that it is trusted by into the cluster. */
export async function startVitistackApi(
  control: ControlPlane,
  zones: ConstructorParameters<typeof FakeVitistackApi>[1],
): Promise<FakeVitistackApi> {
  const { cert, key, authority } = await servingPair();
  const api = new FakeVitistackApi({ cert, key }, zones);
  await Promise.all([api.start(500), startMetalLb(control), startCertManager(control)]);
  await control.client.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ipam-system' } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: CA, namespace: 'ipam-system' },
      data: { 'ca.crt': Buffer.from(authority).toString('base64') },
    },
  ]);
  return api;
}

/** The store of an operator that keeps its claims there. */
export const vitistackStore = ({ url }: FakeVitistackApi) => ({
  remote: { url, apiVersion: 2 as const, ca: { name: CA } },
});
