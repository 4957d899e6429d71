import { operatorBundle } from './operator-bundle';
import { startBuild } from './start-build';

module.exports = async (): Promise<void> => {
  // done before the first control plane is up; what is wrong with it, the first who needs it tells
  operatorBundle().catch(() => undefined);
  await startBuild();
};
