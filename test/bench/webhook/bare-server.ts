/** The limit of benches W1 and W2: `node:https` and JSON alone. Arguments: certificate file, key file. Prints its port. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

const [certificate = '', key = ''] = process.argv.slice(2);
let counter = 0;

interface Review {
  readonly request: {
    readonly uid: string;
    readonly object: { readonly metadata: { readonly annotations: Record<string, string> } };
  };
}

const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (call, answer) => {
  const parts: Buffer[] = [];
  call.on('data', (part: Buffer) => parts.push(part));
  call.on('end', () => {
    const { request } = JSON.parse(Buffer.concat(parts).toString()) as Review;
    counter += 1;
    const address = `10.${(counter >> 16) & 255}.${(counter >> 8) & 255}.${counter & 255}`;
    const zone = request.object.metadata.annotations['ipam.vitistack.io/zone'];
    const patch = [
      { op: 'add', path: '/metadata/annotations/ipam.vitistack.io~1addresses', value: address },
      { op: 'add', path: '/metadata/annotations/metallb.io~1loadBalancerIPs', value: address },
      { op: 'add', path: '/metadata/annotations/metallb.io~1address-pool', value: zone },
    ];
    const response = {
      uid: request.uid,
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    };
    const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });
    answer.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    answer.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log((server.address() as AddressInfo).port);
});
