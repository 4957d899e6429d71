import { ENDPOINT_SLICES, EndpointSlice } from '../../../../operator/cluster/objects/endpoint-slice';
import { KubernetesObjectWriter } from '../../../../operator/cluster/objects/object-writer';
import { listOf, mapOf, type JsonMap } from '../../../../operator/contract/loose-json';
import { MemoryApiClient } from '../../../support/memory-api-client';
import { RecordedLogger } from '../../../support/recorded-telemetry';

const PATH = '/apis/discovery.k8s.io/v1/namespaces/ipam-system/endpointslices/ipam-networks-grpc-ipv4';

let server: MemoryApiClient;
let logger: RecordedLogger;

beforeEach(() => {
  server = new MemoryApiClient();
  server.nowMs = () => 0;
  logger = new RecordedLogger();
});

const sliceOf = (address: string, port = 9999): EndpointSlice =>
  new EndpointSlice(
    new KubernetesObjectWriter(server, ENDPOINT_SLICES),
    {
      namespace: 'ipam-system',
      service: 'ipam-networks-grpc',
      address,
      family: 4,
      port: { name: 'grpc', number: port },
    },
    logger,
  );

const stored = (): JsonMap => server.get(PATH) ?? {};
const addresses = (): readonly unknown[] =>
  listOf(stored()['endpoints']).flatMap((each) => listOf(mapOf(each)['addresses']));

test('leads the Service to this process', async () => {
  expect(await sliceOf('10.1.0.5').announce()).toBe(true);
  expect(stored()).toMatchObject({
    metadata: { labels: { 'kubernetes.io/service-name': 'ipam-networks-grpc' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.0.5'], conditions: { ready: true } }],
    ports: [{ name: 'grpc', port: 9999, protocol: 'TCP' }],
  });
});

test('takes the place of the process that led before, and is written once', async () => {
  await sliceOf('10.1.0.5').announce();
  const next = sliceOf('10.1.0.6');
  await next.announce();
  const { metadata } = stored();
  expect(addresses()).toEqual(['10.1.0.6']);
  await next.announce();
  expect(stored()['metadata']).toEqual(metadata);
});

test('is taken out at the end, unless another process has the place by then', async () => {
  const [first, second] = [sliceOf('10.1.0.5'), sliceOf('10.1.0.6')];
  await first.announce();
  await second.announce();
  expect(await first.withdraw()).toBe(true);
  expect(addresses()).toEqual(['10.1.0.6']);
  expect(await second.withdraw()).toBe(true);
  expect(addresses()).toEqual([]);
  expect(await second.withdraw()).toBe(true);
});

test('comes back where its slice was deleted or changed by hand', async () => {
  const slice = sliceOf('10.1.0.5');
  await slice.announce();
  server.remove(PATH);
  await slice.announce();
  expect(addresses()).toEqual(['10.1.0.5']);
  server.put(PATH, { ...stored(), endpoints: [] });
  await slice.announce();
  expect(addresses()).toEqual(['10.1.0.5']);
});

test('tells where the cluster does not take it', async () => {
  const broken = new EndpointSlice(
    {
      read: () => Promise.reject(new RangeError('away')),
      create: () => Promise.reject(new RangeError('away')),
      replace: () => Promise.reject(new RangeError('away')),
    },
    { namespace: 'a', service: 'b', address: '10.1.0.5', family: 4, port: { name: 'grpc', number: 1 } },
    logger,
  );
  expect(await broken.announce()).toBe(false);
  expect(logger.text).toContain('the EndpointSlice was not written');
});
