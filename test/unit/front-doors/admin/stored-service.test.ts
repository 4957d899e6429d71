import Fastify from 'fastify';
import { addStoredService } from '../../../../operator/front-doors/admin/stored-service';
import { readStored } from '../../../../operator/front-doors/services/index';
import { IpamError } from '../../../../operator/errors/ipam-error';
import type { ApiCaller } from '../../../../operator/cli/calls/api-caller';
import { storedService } from '../../../../operator/cli/explain/ask-stored-service';
import { accept } from '../../../../operator/errors/outcome';
import { MemoryCluster } from '../../../../operator/backends/memory/memory-cluster';

const CONDITION = {
  type: 'ipam.vitistack.io/AddressReady',
  status: 'False',
  reason: 'PoolExhausted',
  message: 'zone "inet" has no free IPv4 address',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

/** Serves the page for one answer of the cluster, and asks it as the command line does. */
async function asked(service: () => object | undefined): ReturnType<typeof storedService> {
  const cluster = new MemoryCluster({});
  const app = Fastify();
  const served = Object.assign(cluster, { service: () => Promise.resolve().then(service) });
  addStoredService(app, { cluster: served, readStored });
  const page: ApiCaller['page'] = async (path) => {
    const { statusCode, body } = await app.inject(path);
    return accept({ status: statusCode, text: body });
  };
  return storedService({ page } as ApiCaller, { namespace: 'shop', name: 'web' });
}

const stored = (type: string, conditions: readonly object[]): object => ({
  metadata: { namespace: 'shop', name: 'web', uid: 'u' },
  spec: { type },
  status: { conditions },
});

describe('storedService', () => {
  test('tells since when and why a Service waits', async () => {
    const told = await asked(() => stored('LoadBalancer', [CONDITION]));
    expect(told).toMatchObject({
      found: true,
      sentences: ['it waits since 2026-01-01T00:00:00Z (PoolExhausted): zone "inet" has no free IPv4 address'],
    });
  });

  test('FU-14 tells of addresses that are not announced', async () => {
    const told = await asked(() =>
      stored('LoadBalancer', [
        { ...CONDITION, status: 'Unknown', reason: 'NotAnnounced', message: 'there is no MetalLB pool "inet"' },
      ]),
    );
    expect(told?.sentences).toEqual([
      'it has addresses that are not seen to be announced since 2026-01-01T00:00:00Z (NotAnnounced): there is no MetalLB pool "inet"',
    ]);
  });

  test('tells that a Service of another type gets no address', async () => {
    const told = await asked(() => stored('ClusterIP', []));
    expect(told?.sentences).toEqual(['it is of type ClusterIP, and only Services of type LoadBalancer get addresses']);
  });

  test('tells that there is no such Service, and nothing while the cluster is away', async () => {
    expect(await asked(() => undefined)).toMatchObject({ found: false, sentences: [] });
    const away = (): never => {
      throw new IpamError('cluster/unavailable', 'the API server cannot be reached');
    };
    expect(await asked(away)).toBeUndefined();
  });
});
