import { chooseDriver } from '../../../../operator/backends/egress-dataplanes/choose-driver';
import { DRIVERS } from '../../../../operator/backends/egress-dataplanes/drivers';
import { crdName, EGRESS_IP, HOST_SUBNET, NET_NAMESPACE } from '../../../../operator/contract/egress-dataplanes';
import { storedCrd } from '../../../support/dataplane-world';

const crds = new Map([EGRESS_IP, HOST_SUBNET, NET_NAMESPACE].map((kind) => [crdName(kind), storedCrd(kind)]));
const running = DRIVERS.map((driver) => ({ ...driver, isRunning: () => true }));

describe('chooseDriver', () => {
  test('EG-case-60 chooses none of two dataplanes that run, unless the spec says which', () => {
    expect(chooseDriver('auto', running, { crds, nodes: [], configs: new Map() })).toEqual({
      kind: 'missing',
      reason: 'DataplaneAmbiguous',
      message: 'the cluster has ovn-kubernetes and openshift-sdn; spec.dataplane has to say which',
    });
    expect(chooseDriver('openshift-sdn', running, { crds, nodes: [], configs: new Map() })).toMatchObject({
      driver: { name: 'openshift-sdn' },
    });
  });

  test.each([
    ['not established', { status: { conditions: [{ type: 'Established', status: 'False' }] } }],
    ['being deleted', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['of another version', { spec: { versions: [{ name: 'v2', served: true }] } }],
  ])('takes a kind that is %s for one that is not served', (_what, change) => {
    const changed = new Map([[crdName(EGRESS_IP), { ...storedCrd(EGRESS_IP), ...change }]]);
    expect(chooseDriver('ovn-kubernetes', running, { crds: changed, nodes: [], configs: new Map() })).toMatchObject({
      reason: 'DataplaneAbsent',
      message: expect.stringContaining('EgressIP of k8s.ovn.org/v1') as string,
    });
  });
});
