# Puts GPU Planner into this user's Start menu and opens .gpuplan files with it; -Remove takes that back.
# Nothing is copied and no administrator is needed: the folder stays where it was unpacked.
param([switch]$Remove)
$ErrorActionPreference = "Stop"

$program = Join-Path $PSScriptRoot "gpuplanner-gui.exe"
$shortcut = Join-Path ([Environment]::GetFolderPath("Programs")) "GPU Planner.lnk"
$classes = "HKCU:\Software\Classes"
$type = "GpuPlanner.Project"

if ($Remove) {
    Remove-Item -LiteralPath $shortcut -ErrorAction SilentlyContinue
    Remove-Item -LiteralPath "$classes\$type" -Recurse -ErrorAction SilentlyContinue
    if ((Get-ItemProperty -LiteralPath "$classes\.gpuplan" -ErrorAction SilentlyContinue).'(default)' -eq $type) {
        Remove-Item -LiteralPath "$classes\.gpuplan" -Recurse
    }
    Write-Output "GPU Planner is out of the Start menu."
    exit 0
}

if (-not (Test-Path -LiteralPath $program)) {
    Write-Error "gpuplanner-gui.exe is not beside this script. Run it from the unpacked folder."
}
$link = (New-Object -ComObject WScript.Shell).CreateShortcut($shortcut)
$link.TargetPath = $program
$link.WorkingDirectory = [Environment]::GetFolderPath("MyDocuments")
$link.Save()

New-Item -Path "$classes\$type\shell\open\command" -Force | Out-Null
Set-ItemProperty -LiteralPath "$classes\$type" -Name "(default)" -Value "GPU Planner project"
Set-ItemProperty -LiteralPath "$classes\$type\shell\open\command" -Name "(default)" -Value "`"$program`" `"%1`""
New-Item -Path "$classes\.gpuplan" -Force | Out-Null
Set-ItemProperty -LiteralPath "$classes\.gpuplan" -Name "(default)" -Value $type
Write-Output "GPU Planner is in the Start menu. install.ps1 -Remove takes it out."
