import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApplication } from '../../operator/application';
import { apiCaller } from '../../operator/cli/calls/api-caller';
import { openGrpcBackEnd } from '../../operator/cli/inject/back-ends/grpc';
import { ipamApiBackEnd } from '../../operator/cli/inject/back-ends/ipam-api';
import { kubernetesBackEnd } from '../../operator/cli/inject/back-ends/kubernetes';
import { AllocServer } from '../support/alloc-server';
import { countingGenerations } from '../support/counting-generations';
import { GrpcWorld } from '../support/grpc-world';
import { injectionBackEndSuite } from '../support/injection-back-end-suite';
import { NetworksWorld } from '../support/networks-world';
import { RecordedLogger } from '../support/recorded-telemetry';
import { standaloneSettings } from '../support/standalone-settings';

injectionBackEndSuite('the API server', async () => {
  const world = new NetworksWorld();
  world.f2();
  await world.open();
  await world.ready('prefix', 'net1-p1');
  const client = countingGenerations(world.server);
  return { backEnd: kubernetesBackEnd({ client, waitMs: 20_000 }), close: () => world.close() };
});

injectionBackEndSuite('the gRPC API of the Networks door', async () => {
  const world = new GrpcWorld();
  world.f2();
  await world.serve();
  await world.ready('prefix', 'net1-p1');
  const backEnd = await openGrpcBackEnd({ server: world.address, isPlaintext: true, waitMs: 20_000 });
  return { backEnd, close: () => world.close() };
});

injectionBackEndSuite('another server of the gRPC wire', async () => {
  const server = new AllocServer();
  await server.start();
  const backEnd = await openGrpcBackEnd({ server: server.address, isPlaintext: true, waitMs: 20_000 });
  return {
    backEnd,
    close: () => {
      server.stop();
    },
  };
});

const ZONES = `version: 1
zones:
  - name: net1
    network: vpc-1
    prefixes: [10.0.1.0/24]
    excluded: [10.0.1.1]
    quarantineSeconds: 0
`;

injectionBackEndSuite('version 3 of the IPAM-API', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ipam-inject-'));
  const socketPath = join(folder, 'admin.sock');
  writeFileSync(join(folder, 'zones.yaml'), ZONES);
  const operator = await startApplication(
    standaloneSettings(folder, `--admin-socket=${socketPath}`),
    new RecordedLogger(),
  );
  const api = apiCaller({ url: new URL('http://localhost'), socketPath, timeoutMs: 20_000 });
  const close = async (): Promise<void> => {
    await operator.stop();
    rmSync(folder, { recursive: true });
  };
  return { backEnd: ipamApiBackEnd({ api, secret: 'secret-of-packages' }), close };
});
