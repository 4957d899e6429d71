import { KubernetesObjectWriter } from '../../../../operator/cluster/objects/object-writer';
import { MemoryApiClient, refusedWith } from '../../../support/memory-api-client';
import { claimProblem } from '../../../support/memory-claims';
import { objectWriterSuite, WRITTEN_KIND } from '../../../support/object-writer-suite';

const COLLECTION = '/apis/ipam.vitistack.io/v1alpha1/addressclaims';
const CLAIM = { metadata: { name: 'vpc.10.0.0.5', uid: 'u1', resourceVersion: '1' } };
const KEY = { namespace: '', name: 'vpc.10.0.0.5', uid: 'u1' };

let server: MemoryApiClient;
let writer: KubernetesObjectWriter;

beforeEach(() => {
  server = new MemoryApiClient();
  server.nowMs = () => Date.UTC(2026, 0, 1);
  server.problemOf = claimProblem;
  writer = new KubernetesObjectWriter(server, WRITTEN_KIND);
});

describe('KubernetesObjectWriter', () => {
  objectWriterSuite(() => writer);

  test('names its manager and its kind, and writes into the namespace of the object', async () => {
    const pools = { apiVersion: 'metallb.io/v1beta1', kind: 'IPAddressPool', resource: 'ipaddresspools' };
    await new KubernetesObjectWriter(server, pools).create({ metadata: { namespace: 'm', name: 'lan' } });
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/apis/metallb.io/v1beta1/namespaces/m/ipaddresspools',
        query: { fieldManager: 'ipam-operator' },
        body: { apiVersion: 'metallb.io/v1beta1', kind: 'IPAddressPool' },
      },
    ]);
  });

  test('refuses what an admission policy forbids', async () => {
    server.intercept = () => refusedWith(403, 'Forbidden', 'only the operator writes');
    const refusal = { code: 'cluster/refused', message: expect.stringContaining('only the operator writes') as string };
    expect(await writer.create(CLAIM)).toMatchObject({ refusal });
    expect(await writer.replace(CLAIM)).toMatchObject({ refusal });
    expect(await writer.delete(KEY)).toMatchObject({ refusal });
  });

  test.each([
    ['create', () => writer.create(CLAIM)],
    ['replace', () => writer.replace(CLAIM)],
    ['delete', () => writer.delete(KEY)],
    ['patchStatus', () => writer.patchStatus(KEY, {})],
    ['removeFinalizer', () => writer.removeFinalizer(KEY, 'a/b')],
    ['read', () => writer.read(KEY)],
  ])('throws in %s what is no decision about the object', async (_verb, call) => {
    server.intercept = () => refusedWith(405, 'MethodNotAllowed', 'not like this');
    await expect(call()).rejects.toMatchObject({
      code: 'cluster/unavailable',
      message: expect.stringContaining('AddressClaim "vpc.10.0.0.5": not like this') as string,
    });
  });

  test('gives a finalizer up that others make impossible to take off', async () => {
    server.put(`${COLLECTION}/vpc.10.0.0.5`, { metadata: { ...KEY, finalizers: ['a/b'] } });
    server.intercept = ({ method }) => (method === 'PATCH' ? refusedWith(409, 'Conflict') : undefined);
    expect(await writer.removeFinalizer(KEY, 'a/b')).toMatchObject({ refusal: { code: 'store/conflict' } });
    expect(server.calls('PATCH')).toHaveLength(5);
  });

  test('throws where the server tells no time', async () => {
    server.nowMs = undefined;
    await expect(writer.read(KEY)).rejects.toMatchObject({
      code: 'cluster/unavailable',
      message: 'the API server answered for addressclaims without the header Date',
    });
  });
});
