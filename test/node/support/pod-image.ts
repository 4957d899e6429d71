import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binaryPath } from '../../cluster/support/binaries';

/** The image of all Pods: its one program holds the sandbox without an argument, and answers with `echo`. */
export const POD_IMAGE = 'localhost/node-pod:test';

/** Writes the archive of the image that `ctr images import` reads, without a builder of images. */
export function writePodImage(folder: string): string {
  const place = join(folder, 'pod-image');
  mkdirSync(join(place, 'root'), { recursive: true });
  copyFileSync(binaryPath('node-pod'), join(place, 'root/node-pod'));
  execFileSync('tar', ['-cf', join(place, 'layer.tar'), '-C', join(place, 'root'), 'node-pod']);
  const digest = createHash('sha256')
    .update(readFileSync(join(place, 'layer.tar')))
    .digest('hex');
  const config = {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { Entrypoint: ['/node-pod'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  };
  const manifest = [{ Config: 'config.json', RepoTags: [POD_IMAGE], Layers: ['layer.tar'] }];
  writeFileSync(join(place, 'config.json'), JSON.stringify(config));
  writeFileSync(join(place, 'manifest.json'), JSON.stringify(manifest));
  const archive = join(place, 'image.tar');
  execFileSync('tar', ['-cf', archive, '-C', place, 'manifest.json', 'config.json', 'layer.tar']);
  return archive;
}
