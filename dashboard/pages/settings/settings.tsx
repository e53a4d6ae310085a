// Settings: what is in force and where it comes from, who is told, what was changed by whom, and how this browser shows it.

import { AuditPanel } from './audit-panel.tsx';
import { BackupPanel } from './backup-panel.tsx';
import { InstancePanel } from './instance-panel.tsx';
import { NotificationsPanel } from './notifications-panel.tsx';
import { NotifiersPanel } from './notifiers-panel.tsx';
import { QueuePanel } from './queue-panel.tsx';
import './settings.css';
import { SettingsPanel } from './settings-panel.tsx';
import { ThemePanel } from './theme-panel.tsx';

export const Settings = () => (
  <div class="settings">
    <div class="halves">
      <InstancePanel />
      <NotifiersPanel />
      <div class="stack">
        <QueuePanel />
        <ThemePanel />
      </div>
      <div class="stack">
        <NotificationsPanel />
        <BackupPanel />
      </div>
    </div>
    <SettingsPanel />
    <AuditPanel />
  </div>
);
