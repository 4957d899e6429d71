import { renderedManifests } from '../../constructs/render/manifests';
import { commandsIn, blocksOf, textOf } from '../support/documents';

const PAGE = 'docs/vips.md';
const files = renderedManifests();
const images = (files['images.txt'] ?? '').trim().split('\n');
const [, section = ''] = textOf(PAGE).split('\n## Disconnected installation\n');
const [text = ''] = section.split('\n## ');

describe('the disconnected installation', () => {
  test('names every image of the manifests, and none besides', () => {
    const named = [...text.matchAll(/[\w./-]+\/?cdk8s-ipam:[\w.-]+\w|\S+@sha256:\w+/gu)].map(([image]) => image);
    expect([...new Set(named.map((image) => image.split('/').at(-1)))]).toEqual(images);
  });

  test('builds and saves the image under the name that containerd gives the one of the manifests', () => {
    const commands = blocksOf(PAGE).flatMap(({ code }) => commandsIn(code));
    const docker = commands.filter((command) => command.startsWith('docker '));
    expect(docker).toHaveLength(2);
    for (const command of docker) expect(command).toContain(` docker.io/library/${images[0] ?? ''}`);
  });

  test('applies files that the command for manifests writes', () => {
    const named = [...text.matchAll(/lib\/manifests\/([\w.-]+)/gu)].map(([, file = '']) => file);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((file) => !(file in files))).toEqual([]);
    expect(text).toContain('apply --server-side -f vips.yaml');
  });
});
